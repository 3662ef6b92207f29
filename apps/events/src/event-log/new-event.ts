import { EMIT_TOPIC, type EventInput, type EventSource, isNativeType, shownIp } from '@platform/contracts'
import { Failure, HOUR_MS, isDerivedUuid, uuidv7Ms } from '@platform/kernel'

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

/** A clock may be this far ahead of ours. */
const AHEAD_MS = 5 * 60_000

/**
 * An id of the caller's own must be a fresh one: only as long as the outbox holds an event can it be told that its id
 * was used. Those that the platform derives for events of runs are not to be taken before their run.
 */
export function refuseStrangeIds(
  events: readonly EventInput[],
  now: Date,
  outboxRetentionHours: number,
): void {
  const oldest = now.getTime() - outboxRetentionHours * HOUR_MS
  for (const [index, { id }] of events.entries()) {
    if (id === undefined) continue
    const madeAt = uuidv7Ms(id)
    if (madeAt >= oldest && madeAt <= now.getTime() + AHEAD_MS && !isDerivedUuid(id)) continue
    throw new Failure(
      'RequestValidationError',
      `The id of an event must be a new UUIDv7, made now and at most ${outboxRetentionHours} hours ago; leave it out to be given one.`,
      { details: [{ path: `body.events[${index}].id`, message: 'must be a new UUIDv7' }] },
    )
  }
}
