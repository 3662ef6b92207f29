import { ACCESS_TOKEN_COOKIE, type Endpoint, headers } from '@platform/contracts'
import type { Json } from './json.ts'

/** The ways to say who calls (decisions C1). */
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

const INTERACTIVE_ONLY = /^\/v2\/(?:user|login|signup)(?:\/|$)/
/** Takes calls from everywhere, so a cookie alone signs nobody in, whatever the verb. */
const RECEIVER = /\/webhooks\//
const SECURITY = /\/security(?:\/|$)/
const OF_A_WORKSPACE = /^\/v2\/workspaces\/:workspaceId(?:\/|$)/

type Requirement = Record<string, readonly string[]>

/**
 * Which credentials an operation takes; with `optional`, none is one of them. The list of a scheme names the scopes
 * it must carry.
 */
export function securityOf(endpoint: Endpoint, method: string): Requirement[] {
  const { credential = 'none', path, scope } = endpoint
  if (credential === 'none') return []
  if (credential === 'internal') return [{ internalKey: [] }]
  const scopes = scope === undefined ? [] : [scope]
  return [...(credential === 'optional' ? [{}] : []), { jwt: scopes }, ...otherwise(path, scopes, method)]
}

function otherwise(path: string, scopes: readonly string[], method: string): Requirement[] {
  const isSafe = method === 'get'
  const requirements: Requirement[] = []
  if (!INTERACTIVE_ONLY.test(path) && (isSafe || !SECURITY.test(path))) requirements.push({ accessToken: [] })
  requirements.push(isSafe && !RECEIVER.test(path) ? { cookie: scopes } : { cookie: scopes, csrfToken: [] })
  if (OF_A_WORKSPACE.test(path) && !SECURITY.test(path)) requirements.push({ apiKey: [] })
  if (path === '/v2/readiness') requirements.push({ internalKey: [] })
  return requirements
}
