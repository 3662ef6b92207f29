import { hasScope, type Principal } from '@platform/auth'
import { EventInput, rateLimits } from '@platform/contracts'
import { type RateLimiter, refuseOver, validate } from '@platform/http'
import { Failure, uuidv7 } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { type AcceptDeps, acceptEvents, type Emission } from '../../event-log/emit-events.ts'

export interface EmitDeps extends AcceptDeps {
  permissions: Permissions
  limits: RateLimiter
}

/** Who emits through a socket. */
export interface SocketEmitter {
  principal: Principal
  workspaceId: string
  socketId: string
  ip: string
}

/**
 * Accepts one event from a socket by the rules of `emitEvents`. Resolves when it is committed; rejects with a
 * Failure.
 */
export const emitFromSocket = (deps: EmitDeps) => {
  const takeLimit: Emission['takeLimit'] = async (name, key, points) =>
    refuseOver(await deps.limits.take(rateLimits[name], key, points))
  return async (emitter: SocketEmitter, input: unknown): Promise<{ id: string; type: string }> => {
    const { principal, workspaceId } = emitter
    if (!hasScope(principal, 'events:write'))
      throw new Failure('InsufficientScope', 'The token lacks the scope events:write.')
    await deps.permissions.require(principal, 'create', { type: 'events', workspace: workspaceId })
    const event = validate(EventInput, input, 'body')
    const emission = { ...emitter, correlationId: uuidv7(), takeLimit }
    const [stored] = await acceptEvents(deps, emission, [event])
    if (stored === undefined) throw new Error('An accepted event must have a record.')
    return { id: stored.id, type: stored.type }
  }
}
