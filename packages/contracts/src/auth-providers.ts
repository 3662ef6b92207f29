import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { exampleProvider, exampleProviderInput } from './example-values.ts'

/** Names a provider in addresses and in `authData`. */
export const ProviderSlug = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,59}$/, 'must be 1–60 characters of [a-z0-9-]')
  .refine((slug) => slug !== 'prismeai' && slug !== 'anonymous' && slug !== 'local', 'is reserved')

const address = z.url({ protocol: /^https?$/ }).max(2000)

/** What an OpenID provider must be known by. */
export const AuthProviderConfig = z.strictObject({
  client_id: z.string().min(1).max(500),
  client_secret: z.string().min(1).max(2000).optional().describe('Kept encrypted, never answered.'),
  issuer: address
    .optional()
    .describe(
      'What id tokens name as `iss`; discovery fills in the addresses that are not given. Without it, the ' +
        'origin of authorization_endpoint.',
    ),
  authorization_endpoint: address.optional(),
  token_endpoint: address.optional(),
  jwks_uri: address.optional(),
  scopes: z.array(z.string().min(1).max(100)).max(20).optional(),
  state: z.boolean().optional().describe('Always sent; kept for configurations that name it.'),
  pkce: z.boolean().optional().describe('true unless the provider can’t do it.'),
  allowTokenExchange: z.boolean().optional(),
})
export type AuthProviderConfig = z.infer<typeof AuthProviderConfig>

/** Labels with a dot between them: a lone dot names no domain. */
const Domain = z
  .string()
  .max(253)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain')

const given = {
  slug: ProviderSlug,
  name: z.string().min(1).max(100).optional(),
  icon: z.string().max(2000).optional(),
  type: z.enum(['oidc']),
  config: AuthProviderConfig,
  attributesMapping: z
    .record(z.string().max(60), z.string().max(200))
    .optional()
    .describe('Field of the account → claim of the provider.'),
  domains: z
    .array(Domain)
    .max(100)
    .optional()
    .describe(
      'People with such an address sign in here. A provider that names domains, and every one of an ' +
        'organization, vouches for addresses of these only.',
    ),
  enabled: z.boolean().optional(),
  meta: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('`trustEmail: true` believes addresses of a provider that never says `email_verified`.'),
}

/** A provider as it is given. */
export const AuthProviderInput = z
  .strictObject(given)
  .refine(
    ({ config }) =>
      config.issuer !== undefined ||
      (config.authorization_endpoint !== undefined &&
        config.token_endpoint !== undefined &&
        config.jwks_uri !== undefined),
    { path: ['config'], error: 'needs issuer, or authorization_endpoint, token_endpoint and jwks_uri' },
  )
export type AuthProviderInput = z.infer<typeof AuthProviderInput>

/** A provider as it is answered: without its secret. */
export const AuthProvider = z.object({
  ...given,
  slug: z.string(),
  id: z.string(),
  config: AuthProviderConfig.omit({ client_secret: true }),
  enabled: z.boolean(),
  source: z.enum(['file', 'database']),
  orgSlug: z.string().optional(),
})
export type AuthProvider = z.infer<typeof AuthProvider>

/** What the slug of an organization may be: what is not one of them names none. */
export const orgSlugPattern = /^[a-z0-9][a-z0-9_-]{0,59}$/

const orgPath = '/v2/orgs/:orgSlug/auth/sso' as const
const onePath = '/v2/orgs/:orgSlug/auth/sso/:slug' as const
const failures = ['RequestValidationError', 'AuthenticationError', 'ForbiddenError'] as const

export const listAuthProviders = endpoint({
  id: 'listAuthProviders',
  summary:
    'The providers of an organization and those of the platform; the platform’s win where slugs are equal.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: orgPath,
  response: z.array(AuthProvider),
  failures: [...failures, 'ObjectNotFoundError'],
  example: { response: [exampleProvider] },
})

export const createAuthProvider = endpoint({
  id: 'createAuthProvider',
  summary: 'Adds a provider to an organization (super administrators).',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'post',
  path: orgPath,
  body: AuthProviderInput,
  response: AuthProvider,
  idempotent: 'answer',
  failures: [...failures, 'ObjectNotFoundError', 'AlreadyUsed', 'DomainAlreadyUsed'],
  example: { request: exampleProviderInput, response: exampleProvider },
})

export const getAuthProvider = endpoint({
  id: 'getAuthProvider',
  summary: 'Reads a provider of an organization.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'get',
  path: onePath,
  response: AuthProvider,
  etag: true,
  failures: [...failures, 'ObjectNotFoundError'],
  example: { response: exampleProvider },
})

export const updateAuthProvider = endpoint({
  id: 'updateAuthProvider',
  summary:
    'Replaces a provider of an organization (super administrators); its secret stays unless one is given.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'put',
  path: onePath,
  body: AuthProviderInput,
  response: AuthProvider,
  etag: true,
  failures: [...failures, 'ObjectNotFoundError', 'AlreadyUsed', 'DomainAlreadyUsed', 'PreconditionFailed'],
  example: { request: exampleProviderInput, response: exampleProvider },
})

export const deleteAuthProvider = endpoint({
  id: 'deleteAuthProvider',
  summary: 'Removes a provider of an organization (super administrators).',
  service: 'api-gateway',
  credential: 'required',
  caller: 'superAdmin',
  method: 'delete',
  path: onePath,
  response: AuthProvider,
  etag: true,
  failures: [...failures, 'ObjectNotFoundError', 'PreconditionFailed'],
  example: { response: exampleProvider },
})

export const gatewaySsoUpdated = event({
  type: 'gateway.sso.updated',
  emittedWhen: 'A provider of an organization was added, replaced or removed.',
  payload: z.object({
    type: z.enum(['created', 'updated', 'deleted']),
    slug: z.string(),
    orgSlug: z.string(),
    authProvider: AuthProvider,
  }),
  everyInstance: true,
})
