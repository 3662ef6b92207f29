import type { ResourceScope } from '@platform/contracts'

/** A person (or the anonymous stand-in for one) behind a JWT or an access token. */
export interface UserPrincipal {
  readonly kind: 'user'
  readonly userId: string
  /** `at:<record id>` for access tokens. */
  readonly sessionId: string
  readonly via: 'jwt' | 'accessToken'
  readonly anonymous: boolean
  readonly superAdmin: boolean
  readonly scopes: readonly string[]
  readonly clientId: string | undefined
  readonly email: string | undefined
  /** Record id of an API key sent beside the user's credential. */
  readonly apiKeyId: string | undefined
  /** True when the JWT was obtained by an application that is not the platform's own; known at the gateway only. */
  readonly thirdParty?: boolean
  /** The workspace whose run acts for the user: elsewhere it may execute automations for them and nothing else. */
  readonly lentTo?: string
  /** Unix milliseconds when the credential ends; known at the gateway only, services are not told. */
  readonly expiresAt?: number
}

/** Which credential a session id is that of. */
export const viaOf = (sessionId: string): UserPrincipal['via'] =>
  sessionId.startsWith('at:') ? 'accessToken' : 'jwt'

/** An API key alone. */
export interface ApiKeyPrincipal {
  readonly kind: 'apiKey'
  readonly apiKeyId: string
}

/** A workspace that acts for itself, through one of its runs; in other workspaces it may what everybody may. */
export interface WorkspacePrincipal {
  readonly kind: 'workspace'
  readonly workspaceId: string
}

/** A service or an operator with the internal key and nobody behind it. */
export interface InternalPrincipal {
  readonly kind: 'internal'
}

/** What every credential becomes. */
export type Principal = UserPrincipal | ApiKeyPrincipal | WorkspacePrincipal | InternalPrincipal

/**
 * True when the credential carries the scope; access tokens carry those of the credential that made them.
 */
export const hasScope = (principal: Principal, scope: ResourceScope): boolean =>
  principal.kind !== 'user' || principal.scopes.includes(scope)

/** For metrics and the log line: who called, as a kind only. */
export const principalKind = (principal: Principal | undefined): string => {
  if (principal === undefined) return 'nobody'
  if (principal.kind !== 'user') return principal.kind
  return principal.anonymous ? 'anonymous' : principal.via
}

/**
 * True for a client that got its token for itself (client credentials): its rights are its scopes alone.
 */
export const isProgram = (principal: Principal): boolean =>
  principal.kind === 'user' && principal.userId === principal.clientId

/** Who did something, as the audit trail names them. */
export function actorOf(principal: Principal | undefined): string {
  if (principal === undefined) return 'nobody'
  if (principal.kind === 'internal') return 'platform'
  if (principal.kind === 'apiKey') return `apiKey:${principal.apiKeyId}`
  if (principal.kind === 'workspace') return `workspace:${principal.workspaceId}`
  // The token of a client without a person behind it.
  if (principal.userId === principal.clientId) return `client:${principal.clientId}`
  return `user:${principal.userId}`
}
