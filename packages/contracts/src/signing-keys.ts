import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { exampleRemoval, exampleSigningKey } from './example-values.ts'

const change = z.object({
  created: z.array(z.string()).describe('Identifiers of the keys that are now published.'),
  deleted: z.array(z.string()).describe('Identifiers of the keys no longer published.'),
})

/** Tells every gateway instance to load the signing keys again. */
export const gatewayJwksUpdated = event({
  type: 'gateway.jwks.updated',
  emittedWhen: 'A signing key is created, rotated or removed.',
  payload: change,
  everyInstance: true,
})

/** The same for the keys of the runtime; it is also emitted with the event above, so that runtimes hear of both. */
export const runtimeJwksUpdated = event({
  type: 'runtime.jwks.updated',
  emittedWhen: 'A signing key of the gateway or of the runtime is created, rotated or removed.',
  payload: change,
  everyInstance: true,
})

/** An event that tells of a change of signing keys. */
export type SigningKeysUpdated = typeof gatewayJwksUpdated | typeof runtimeJwksUpdated

/** A public key as the key set publishes it: never a private member. */
export const PublicJwk = z.looseObject({
  kty: z.string(),
  kid: z.string(),
  alg: z.string(),
  use: z.literal('sig'),
})
export type PublicJwk = z.infer<typeof PublicJwk>

export const Jwks = z.object({ keys: z.array(PublicJwk) })
export type Jwks = z.infer<typeof Jwks>

export const getJwks = endpoint({
  id: 'getJwks',
  summary: 'Publishes the public keys that verify JWTs.',
  service: 'api-gateway',
  credential: 'none',
  method: 'get',
  path: '/oidc/jwks',
  response: Jwks,
  etag: true,
  failures: [],
  example: { response: { keys: [{ kty: 'EC', crv: 'P-256', kid: 'kXb4J0v2', alg: 'ES256', use: 'sig' }] } },
})

/** A signing key as operators see it. */
export const SigningKey = z.object({
  kid: z.string(),
  alg: z.string(),
  kind: z.string().describe('Type and size, for example "RSA 2048".'),
  state: z.enum(['published', 'signing', 'rotated']),
  sealedWith: z.string().describe('Id of the master key that encrypts its private part.'),
  publishedAt: z.iso.datetime(),
  signsSince: z.iso.datetime().nullable(),
  rotatedAt: z.iso.datetime().nullable(),
  removedAfter: z.iso.datetime().nullable().describe('When a rotated key will be removed.'),
  sessions: z.number().int().describe('Sessions whose newest JWT it has signed.'),
})
export type SigningKey = z.infer<typeof SigningKey>

const failures = ['AuthenticationError', 'ForbiddenError'] as const

export const listSigningKeys = endpoint({
  id: 'listSigningKeys',
  summary: 'The signing keys with their states and times, the signing one first.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/platform/signing-keys',
  response: z.array(SigningKey),
  failures,
  example: { response: [exampleSigningKey] },
})

export const rotateSigningKey = endpoint({
  id: 'rotateSigningKey',
  summary:
    'Rotates now: a waiting or a new key signs, once it was published long enough or, with `immediately`, at ' +
    'once. The old one stays published.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'post',
  path: '/v2/platform/signing-keys/rotation',
  body: z
    .strictObject({
      immediately: z
        .boolean()
        .optional()
        .describe('Does not wait for JWKS_PUBLISH_AHEAD; verifiers elsewhere may not know the key yet.'),
    })
    .optional(),
  response: z.object({ keys: z.array(SigningKey) }),
  idempotent: 'answer',
  failures: ['RequestValidationError', ...failures],
  example: { request: { immediately: false }, response: { keys: [exampleSigningKey] } },
})

const Removal = z.object({
  kid: z.string(),
  state: SigningKey.shape.state,
  sessions: z.number().int().describe('Sessions that must sign in again or refresh.'),
  users: z.number().int().describe('People behind them.'),
  clients: z.array(z.object({ clientId: z.string(), sessions: z.number().int() })),
  successor: z.string().nullable().describe('The key that signs afterwards; null: a new one is made.'),
})

export const previewSigningKeyRemoval = endpoint({
  id: 'previewSigningKeyRemoval',
  summary: 'Whom the removal of a signing key would sign out.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/platform/signing-keys/:kid/removal',
  response: Removal,
  failures: [...failures, 'ObjectNotFoundError'],
  example: { response: exampleRemoval },
})

export const removeSigningKey = endpoint({
  id: 'removeSigningKey',
  summary:
    'Removes a key now, for example a compromised one: everything it has signed is refused everywhere. A ' +
    'signing key is replaced first.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  shedExempt: true,
  method: 'delete',
  path: '/v2/platform/signing-keys/:kid',
  response: Removal,
  failures: [...failures, 'ObjectNotFoundError'],
  example: { response: exampleRemoval },
})

/** A master key by its id and what it has sealed; its bytes are in SECRETS_MASTER_KEYS alone. */
export const MasterKeyUse = z.object({
  id: z.string(),
  seals: z.boolean().describe('True for the first of SECRETS_MASTER_KEYS, which seals everything new.'),
  known: z
    .boolean()
    .describe('False: it is not in SECRETS_MASTER_KEYS, so what it has sealed can not be opened.'),
  sealed: z.array(
    z.object({
      place: z.string().describe('Table and column, for example "gateway.signing_keys.sealed_jwk".'),
      values: z.number().int(),
    }),
  ),
})
export type MasterKeyUse = z.infer<typeof MasterKeyUse>

export const listMasterKeys = endpoint({
  id: 'listMasterKeys',
  summary: 'The master keys and what each has sealed. An old one may go once it has sealed nothing.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: '/v2/platform/master-keys',
  response: z.array(MasterKeyUse),
  failures,
  example: {
    response: [
      {
        id: 'main',
        seals: true,
        known: true,
        sealed: [{ place: 'gateway.signing_keys.sealed_jwk', values: 3 }],
      },
    ],
  },
})
