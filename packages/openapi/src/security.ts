import { ACCESS_TOKEN_COOKIE, type Endpoint, headers } from '@platform/contracts'
import type { Json } from './declared.ts'

/** The ways to say who calls. */
export const securitySchemes: Record<string, Json> = {
  jwt: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A JWT of a session: of a person who signed in, of a guest, or of an application.',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'at:…',
    description: 'An access token of a person, made by `POST /v2/user/accessTokens`.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: headers.apiKey,
    description:
      'A key of a workspace. Alone it acts by its rules; beside a person it adds its rules to theirs.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: ACCESS_TOKEN_COOKIE,
    description: 'The JWT of a browser. It is not read where `Authorization` is sent.',
  },
  csrfToken: {
    type: 'apiKey',
    in: 'header',
    name: headers.csrfToken,
    description:
      'Proves that a change by cookie is meant: `GET /v2/me` answers it as a header of the same name.',
  },
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description: 'Id and secret of an OIDC client.',
  },
  internalKey: {
    type: 'apiKey',
    in: 'header',
    name: headers.apiKey,
    description: 'The INTERNAL_API_KEY of the installation, for its operators.',
  },
}

type Requirement = Record<string, readonly string[]>

/**
 * Which credentials an operation takes; with `optional`, none is one of them. The list of a scheme names the scopes
 * it must carry.
 */
export function securityOf(endpoint: Endpoint, method: string): Requirement[] {
  const { credential, scope, caller = 'any', interactive, receiver, path } = endpoint
  if (credential === 'none') return []
  if (credential === 'internal') return [{ internalKey: [] }]
  const scopes = scope === undefined ? [] : [scope]
  const needsCsrfToken = method !== 'get' || receiver === true
  return [
    ...(credential === 'optional' ? [{}] : []),
    { jwt: scopes },
    ...(interactive === true ? [] : [{ accessToken: [] }]),
    needsCsrfToken ? { cookie: scopes, csrfToken: [] } : { cookie: scopes },
    // A key has rights in its workspace only.
    ...(caller === 'any' && path.includes('/:workspaceId') ? [{ apiKey: [] }] : []),
    ...(caller === 'superAdmin' ? [{ internalKey: [] }] : []),
  ]
}
