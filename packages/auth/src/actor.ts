import type { Principal } from './principal.ts'

/** Who did something, as the audit trail names them. */
export function actorOf(principal: Principal | undefined): string {
  if (principal === undefined) return 'nobody'
  if (principal.kind === 'internal') return 'platform'
  if (principal.kind === 'apiKey') return `apiKey:${principal.apiKeyId}`
  // The token of a client without a person behind it.
  if (principal.userId === principal.clientId) return `client:${principal.clientId}`
  return `user:${principal.userId}`
}
