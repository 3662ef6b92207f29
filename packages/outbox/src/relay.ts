import { setTimeout as pause } from 'node:timers/promises'
import {
  adoptRestoredLog,
  BrokerError,
  type LogCursor,
  type LogEvent,
  LogSleeper,
  listenToLog,
  readLog,
  storeDeadLetter,
} from '@platform/broker'
import { growingPauseMs } from '@platform/kernel'
import { announcementOf, announcementTopic } from './announced.ts'
import {
  findRelayPosition,
  type RelayOptions,
  type RelayPosition,
  remakeStream,
  settle,
} from './relay-position.ts'
import { RelayProgress } from './relay-progress.ts'

const BATCH = 256
/** It looks every half second, so that this is at every fourth look. */
const SETTLE_EVERY_MS = 1900
const PAUSES = { firstMs: 100, longestMs: 2000 }

/**
 * Moves committed events from the log to the stream of the broker, in order and each once, in one process of the
 * cluster at a time. What the stream loses is written again, be it all of it: the log is the truth (ADR 0016).
 */
export function startRelay(options: RelayOptions): AsyncDisposable {
  return options.database.whileLeader('outbox relay', (signal) => relayForEver(options, signal))
}

async function relayForEver(options: RelayOptions, signal: AbortSignal): Promise<void> {
  const sleeper = new LogSleeper()
  // Only who relays: each commit wakes every process that listens.
  await using _listening = await listenToLog(options.database, () => sleeper.wake())
  const progress = new RelayProgress()
  while (!signal.aborted) {
    try {
      await relayWhile(options, sleeper, signal, progress)
    } catch (error) {
      if (signal.aborted) return
      if (progress.failed()) options.log.warn({ err: error }, 'relaying events stopped, it is begun again')
      await rest(progress.failures - 1, signal)
    }
  }
}

async function relayWhile(
  options: RelayOptions,
  sleeper: LogSleeper,
  signal: AbortSignal,
  progress: RelayProgress,
): Promise<void> {
  const { database } = options
  await adoptRestoredLog(database)
  if (progress.mayRemake()) await remakeStream(options)
  let position = await findRelayPosition(options)
  let settleAt = 0
  while (!signal.aborted) {
    const now = performance.now()
    if (now >= settleAt) {
      settleAt = now + SETTLE_EVERY_MS
      await settle(options, position)
    }
    sleeper.awake()
    const { events, isHeldBack } = await readLog(database, position.cursor, BATCH)
    if (events.length === 0) {
      progress.succeeded()
      await sleeper.sleep(isHeldBack, signal)
    } else {
      announce(options, progress.unannounced(events))
      position = await progress.appending(() => append(options, events, position))
    }
  }
}

/** An event that the stream refuses for what it is would block all others: it goes to the dead letters. */
async function append(
  options: RelayOptions,
  events: LogEvent[],
  position: RelayPosition,
): Promise<RelayPosition> {
  const cursor: LogCursor = events.at(-1) ?? position.cursor
  try {
    const records = events.map(({ record }) => record)
    await options.target.append(records, position.sequence)
    return { ...position, sequence: position.sequence + events.length, cursor }
  } catch (error) {
    if (!(error instanceof BrokerError) || error.unavailable) throw error
    if (events.length > 1) return await appendOneByOne(options, events, position)
    for (const { id, record } of events) {
      options.log.error({ eventId: id, type: record.type, err: error }, 'event given up')
      await storeDeadLetter(options.database, { group: 'relay', eventId: id, record, reason: error.message })
    }
    return { ...position, cursor }
  }
}

async function appendOneByOne(
  options: RelayOptions,
  events: LogEvent[],
  position: RelayPosition,
): Promise<RelayPosition> {
  let reached = position
  for (const event of events) reached = await append(options, [event], reached)
  return reached
}

/** Best effort; the relay does not wait for it. */
function announce({ broker, log }: RelayOptions, events: LogEvent[]): void {
  for (const { announce, record } of events) {
    if (!announce) continue
    broker.announcements
      .announce(announcementTopic(record.type), announcementOf(record))
      .catch((error: unknown) => log.warn({ type: record.type, err: error }, 'event not announced'))
  }
}

async function rest(failures: number, signal: AbortSignal): Promise<void> {
  await pause(growingPauseMs(failures, PAUSES), undefined, { signal }).catch(() => undefined)
}
