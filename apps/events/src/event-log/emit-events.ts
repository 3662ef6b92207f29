import type { Principal } from '@platform/auth'
import {
  EMIT_TOPIC,
  type EventInput,
  type EventRecord,
  type EventSource,
  emitEvents as endpoint,
  isNativeType,
  type LimitName,
  shownIp,
} from '@platform/contracts'
import { callerKey, route } from '@platform/http'
import { type Clock, Failure, HOUR_MS, isDerivedUuid, uuidv7Ms } from '@platform/kernel'
import { buildRecord, type Outbox } from '@platform/outbox'
import type { LogBackpressure } from './log-backpressure.ts'

/** Accepts a batch: every event is committed in PostgreSQL before the answer, or none is. */
export const emitEvents = (deps: AcceptDeps) =>
  route(endpoint, {
    async handle({ body: { events }, principal, request, admitted: { workspace } }) {
      const { correlationId, clientIp: ip, takeLimit } = request
      const emission = { principal, workspaceId: workspace.id, ip, correlationId, takeLimit }

      const stored = await acceptEvents(deps, emission, events)

      return { result: stored.map(({ id, type, createdAt }) => ({ id, type, createdAt })) }
    },
  })

export interface AcceptDeps {
  backpressure: Pick<LogBackpressure, 'admit'>
  outbox: Outbox
  clock: Clock
  /** How long the outbox can tell that an id was used. */
  outboxRetentionHours: number
}

/** Who emits into which workspace, and from where. */
export interface Emission {
  principal: Principal
  workspaceId: string
  ip: string
  correlationId: string
  /** The socket they came through. */
  socketId?: string
  /** Takes uses of a limit; rejects with TooManyRequests. */
  takeLimit: (name: LimitName, key: string, points: number) => Promise<void>
}

/**
 * Accepts events of callers who may emit, over HTTP or through a socket: all are committed when this resolves, or
 * none is. Answers what is stored: of ids that were used before, what they were used for.
 */
export async function acceptEvents(
  { backpressure, outbox, clock, outboxRetentionHours }: AcceptDeps,
  emission: Emission,
  events: readonly EventInput[],
): Promise<readonly EventRecord[]> {
  const { principal, workspaceId, ip, correlationId, socketId, takeLimit } = emission
  refuseNativeTypes(events)
  refuseStrangeIds(events, clock.now(), outboxRetentionHours)
  await backpressure.admit()
  await takeLimit('emitByCaller', callerKey(principal) ?? ip, events.length)
  await takeLimit('emit', workspaceId, events.length)

  const { userId, sessionId } = principal.kind === 'user' ? principal : {}
  const known = sourceOf({ workspaceId, userId, sessionId, ip, correlationId })
  const source = socketId === undefined ? known : { ...known, socketId }
  const records = events.map((event) => buildRecord({ ...event, source }))
  if (events.some(({ id }) => id !== undefined)) return await outbox.commitOnce(records)
  await outbox.commit(records)
  return records
}

/** Who emits, as the server knows it. */
interface Emitter {
  workspaceId: string
  userId: string | undefined
  sessionId: string | undefined
  ip: string
  correlationId: string
}

/** Where an event emitted over HTTP comes from; nothing of it is the caller's to choose. */
function sourceOf(emitter: Emitter): EventSource {
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

/** Native types belong to the platform: a forged one could reload keys or falsify usage. */
function refuseNativeTypes(events: readonly EventInput[]): void {
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
 * An id of the caller's own must be a fresh one: only as long as the outbox has an event is it known that its id was
 * used. Those that the platform derives for events of runs are not to be taken before their run.
 */
function refuseStrangeIds(events: readonly EventInput[], now: Date, outboxRetentionHours: number): void {
  const oldest = now.getTime() - outboxRetentionHours * HOUR_MS
  for (const [index, { id }] of events.entries()) {
    if (id === undefined) continue
    const madeAt = uuidv7Ms(id)
    if (madeAt >= oldest && madeAt <= now.getTime() + AHEAD_MS && !isDerivedUuid(id)) continue
    throw new Failure(
      'RequestValidationError',
      `The id of an event must be a new UUIDv7, made now and at most ${outboxRetentionHours} hours ` +
        'ago; leave it out to be given one.',
      { details: [{ path: `body.events[${index}].id`, message: 'must be a new UUIDv7' }] },
    )
  }
}
