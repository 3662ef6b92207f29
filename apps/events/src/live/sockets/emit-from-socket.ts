import { hasScope, type Principal } from '@platform/auth'
import { EventInput, rateLimits } from '@platform/contracts'
import { type RateLimiter, refuseOver, validate } from '@platform/http'
import { type Clock, Failure, uuidv7 } from '@platform/kernel'
import { buildRecord, type Outbox } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import { refuseNativeTypes, refuseStrangeIds, sourceOf } from '../../event-log/new-event.ts'

export interface EmitDeps {
  permissions: Permissions
  outbox: Outbox
  limits: RateLimiter
  clock: Clock
  outboxRetentionHours: number
}

/** Who emits through a socket. */
export interface SocketEmitter {
  principal: Principal
  workspaceId: string
  socketId: string
  ip: string
}

/** Accepts one event from a socket by the rules of `emitEvents`. Resolves when it is committed; rejects with a Failure. */
export const emitFromSocket =
  (deps: EmitDeps) =>
  async (emitter: SocketEmitter, input: unknown): Promise<{ id: string; type: string }> => {
    const { principal, workspaceId, socketId, ip } = emitter
    if (!hasScope(principal, 'events:write'))
      throw new Failure('InsufficientScope', 'The token lacks the scope events:write.')
    await deps.permissions.require(principal, 'create', 'events', workspaceId)
    const event = validate(EventInput, input, 'body')
    refuseNativeTypes([event])
    refuseStrangeIds([event], deps.clock.now(), deps.outboxRetentionHours)
    const { caller, ...user } = callerOf(principal)
    refuseOver(await deps.limits.take(rateLimits.emitByCaller, caller ?? ip))
    refuseOver(await deps.limits.take(rateLimits.emit, workspaceId))
    const source = sourceOf({ workspaceId, ...user, ip, correlationId: uuidv7() })
    const record = buildRecord({ ...event, source: { ...source, socketId } })
    if (event.id === undefined) await deps.outbox.commit([record])
    else await deps.outbox.commitOnce([record])
    return { id: record.id, type: record.type }
  }

/** Who is told in the source, and whose limit counts. */
function callerOf(principal: Principal): {
  caller: string | undefined
  userId: string | undefined
  sessionId: string | undefined
} {
  if (principal.kind === 'user') {
    const { userId, sessionId } = principal
    return { caller: userId, userId, sessionId }
  }
  const caller = principal.kind === 'apiKey' ? principal.apiKeyId : undefined
  return { caller, userId: undefined, sessionId: undefined }
}
