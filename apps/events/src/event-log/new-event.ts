import { EMIT_TOPIC, type EventInput, type EventSource, isNativeType, shownIp } from '@platform/contracts'
import { Failure } from '@platform/kernel'

/** Who emits, as the server knows it. */
export interface Emitter {
  workspaceId: string
  userId: string | undefined
  sessionId: string | undefined
  ip: string
  correlationId: string
}

/** Where an event emitted over HTTP comes from; nothing of it is the caller's to choose. */
export function sourceOf(emitter: Emitter): EventSource {
  const { workspaceId, userId, sessionId, ip, correlationId } = emitter
  return {
    workspaceId,
    ...(userId === undefined ? {} : { userId }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ip: shownIp(ip),
    correlationId,
    serviceTopic: EMIT_TOPIC,
    host: { service: 'events' },
  }
}

/** Native types belong to the platform: a forged one could reload keys or falsify usage (T-EVT-5). */
export function refuseNativeTypes(events: readonly EventInput[]): void {
  const forged = events.find(({ type }) => isNativeType(type))
  if (forged === undefined) return
  throw new Failure(
    'ForbiddenError',
    `Events of type "${forged.type}" are emitted by the platform only: choose another type.`,
  )
}
