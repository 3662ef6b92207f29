import type { Principal } from '@platform/auth'
import { type EventSource, shownIp } from '@platform/contracts'
import type { RequestInfo } from '@platform/http'

/** Who changes something and by which request, as records, events and the audit trail name it. */
export interface Actor {
  /** Id of the user, or a word for what acts without one. */
  id: string
  source: EventSource
}

/** The actor of a request. */
export const actorOf = (principal: Principal, request: RequestInfo): Actor => ({
  id: actorId(principal),
  source: {
    ...(principal.kind === 'user' ? { userId: principal.userId, sessionId: principal.sessionId } : {}),
    ip: shownIp(request.clientIp),
    correlationId: request.correlationId,
    host: { service: 'workspaces' },
  },
})

function actorId(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId
  if (principal.kind === 'workspace') return `workspace:${principal.workspaceId}`
  return principal.kind === 'apiKey' ? `apikey:${principal.apiKeyId}` : 'platform'
}
