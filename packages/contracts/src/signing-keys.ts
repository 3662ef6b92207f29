import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'

const change = z.object({
  created: z.array(z.string()).describe('Identifiers of the keys that are now published.'),
  deleted: z.array(z.string()).describe('Identifiers of the keys no longer published.'),
})

/** Tells every gateway instance to load the signing keys again (decisions C6). */
export const gatewayJwksUpdated = event({
  type: 'gateway.jwks.updated',
  emittedWhen: 'A signing key is created, rotated or removed.',
  payload: change,
  everyInstance: true,
})

/** The same for runtime instances. */
export const runtimeJwksUpdated = event({
  type: 'runtime.jwks.updated',
  emittedWhen: 'A signing key is created, rotated or removed.',
  payload: change,
  everyInstance: true,
})

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
  failures: [],
})
