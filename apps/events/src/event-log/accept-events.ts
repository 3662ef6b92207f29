import type { Principal } from '@platform/auth'
import type { EventInput, EventRecord, LimitName } from '@platform/contracts'
import { callerKey } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { buildRecord, type Outbox } from '@platform/outbox'
import type { LogPace } from './log-pace.ts'
import { refuseNativeTypes, refuseStrangeIds, sourceOf } from './new-event.ts'

export interface AcceptDeps {
  pace: Pick<LogPace, 'admit'>
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
 * Accepts events of whoever may emit, over HTTP or through a socket: every one is committed when this resolves, or
 * none is (decisions F2, F3). Answers what is kept: of ids that were used before, what they were used for.
 */
export async function acceptEvents(
  { pace, outbox, clock, outboxRetentionHours }: AcceptDeps,
  emission: Emission,
  events: readonly EventInput[],
): Promise<readonly EventRecord[]> {
  const { principal, workspaceId, ip, correlationId, socketId, takeLimit } = emission
  refuseNativeTypes(events)
  refuseStrangeIds(events, clock.now(), outboxRetentionHours)
  await pace.admit()
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
