import type { Database } from '@platform/database'
import {
  type BatchHandler,
  type BriefRecord,
  type BrokerLog,
  type ConsumeOptions,
  isWhole,
} from './broker.ts'
import { storeDeadLetter } from './dead-letters.ts'
import { type Delivery, deliver, throughOutages } from './deliver.ts'
import {
  type LogCursor,
  type LogEvent,
  type LogPage,
  listenToLog,
  loadCursor,
  readRecord,
  storeCursor,
} from './event-log.ts'
import { LogSleeper } from './log-sleeper.ts'
import type { LogWindow, ReadSince } from './log-window.ts'
import { LookTimes } from './look-times.ts'
import { replayer } from './replay.ts'
import { adoptRestoredLog } from './restored-log.ts'

interface LogSource {
  database: Database
  log: BrokerLog
  /** What the groups of this process read together. */
  window: LogWindow
}

/**
 * Handles the log as one instance of `group`: one process of the cluster is active at a time, the next one takes over
 * where the stored cursor is. No transaction is open while a batch is handled.
 */
export function consumeLog(
  source: LogSource,
  group: string,
  handle: BatchHandler,
  options: ConsumeOptions = {},
): AsyncDisposable {
  const { maxBatch = 256, maxDeliveries = 5, briefTypes } = options
  return source.database.whileLeader(`outbox consumer ${group}`, async (signal) => {
    const delivery: Delivery = {
      group,
      handle,
      maxDeliveries,
      signal,
      log: source.log,
      giveUp: async (event: BriefRecord, reason) => {
        const record = isWhole(event) ? event : await readRecord(source.database, event.id)
        await storeDeadLetter(source.database, { group, eventId: event.id, record, reason })
      },
    }
    await consumeWhile(source, delivery, { maxBatch, briefTypes })
  })
}

async function consumeWhile(
  { database, log, window }: LogSource,
  delivery: Delivery,
  { maxBatch, briefTypes }: { maxBatch: number; briefTypes: readonly string[] | undefined },
): Promise<void> {
  const { group, signal } = delivery
  if (await adoptRestoredLog(database)) {
    window.forget()
    log.warn({ group }, 'the log came from another server and is read again')
  }
  const cursor = await loadCursor(database, group)
  const sleeper = new LogSleeper()
  // Only who handles the group: each commit wakes every process that listens.
  await using _listening = await listenToLog(database, () => sleeper.wake())
  const replayAsked = replayer(database, delivery)
  using read = window.reader(briefTypes)
  const readThrough: ReadSince = (...asked) => throughOutages(delivery, () => read(...asked))
  const reader = new LogReader(readThrough, { cursor, maxBatch })
  const keeper = new CursorWriter((reached) =>
    throughOutages(delivery, () => storeCursor(database, group, reached)),
  )
  try {
    const times = new LookTimes()
    while (!signal.aborted) {
      const isBusy = await replayAsked()
      const { events, isFull, isHeldBack } = await reader.next(sleeper.awake())
      times.found(events.length)
      await handleAll(events, delivery, keeper)
      if (isFull || isBusy) continue
      if (events.length > 0) await sleeper.restUntil(times.next(), signal)
      await sleeper.sleep(isHeldBack, signal)
    }
  } finally {
    await keeper.done()
  }
}

async function handleAll(
  events: readonly LogEvent[],
  delivery: Delivery,
  keeper: CursorWriter,
): Promise<void> {
  const last = events.at(-1)
  if (last === undefined) return
  await deliver(
    events.map(({ record }) => record),
    delivery,
  )
  await keeper.store({ xid: last.xid, position: last.position })
}

/** A cursor is stored this often at most: where little happens, storing it would take longer than the work. */
const CURSOR_MS = 500

/**
 * Stores how far a group has come while the group goes on: who takes over handles what came since once more, as it
 * would the batch that was being handled.
 */
class CursorWriter {
  readonly #store: (cursor: LogCursor) => Promise<void>
  #storing: Promise<void> = Promise.resolve()
  #storedAt = Number.NEGATIVE_INFINITY
  #reached: LogCursor | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(store: (cursor: LogCursor) => Promise<void>) {
    this.#store = store
  }

  /** Resolves once nothing is being stored; rejects when a cursor before this one could not be. */
  async store(cursor: LogCursor): Promise<void> {
    await this.#storing
    this.#reached = cursor
    const restMs = this.#storedAt + CURSOR_MS - performance.now()
    if (restMs <= 0) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), restMs)
  }

  /** Resolves when the last cursor is stored, or could not be. */
  async done(): Promise<void> {
    await this.#storing.catch(() => undefined)
    this.#begin()
    await this.#storing.catch(() => undefined)
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const reached = this.#reached
    if (reached === undefined) return
    this.#reached = undefined
    this.#storedAt = performance.now()
    this.#storing = this.#store(reached)
    // The next call awaits it.
    this.#storing.catch(() => undefined)
  }
}

/** Characters of events that a batch is to have at most, as far as the sizes of the events before it show. */
const BATCH_LENGTH = 4_000_000
/** The first batch has so few events, because they may be large. */
const FIRST_BATCH = 64

interface Batch extends LogPage {
  /** True when there may be more to read at once. */
  isFull: boolean
}

/**
 * Reads the log batch by batch. Where a batch was full the next one is read while it is handled. Batches grow to
 * `maxBatch`, and have fewer events where events are large, so that the memory they take is bounded.
 */
export class LogReader {
  readonly #read: ReadSince
  readonly #maxBatch: number
  #cursor: LogCursor
  #limit: number
  #ahead: Promise<Batch> | undefined

  constructor(read: ReadSince, { cursor, maxBatch }: { cursor: LogCursor; maxBatch: number }) {
    this.#read = read
    this.#cursor = cursor
    this.#maxBatch = maxBatch
    this.#limit = Math.min(FIRST_BATCH, maxBatch)
  }

  /** The next batch, as a question knows it that is asked later than `since`. */
  async next(since: number): Promise<Batch> {
    const ahead = await this.#ahead
    this.#ahead = undefined
    // An empty batch that was read ahead is old: since then events may have come.
    const batch = ahead !== undefined && ahead.events.length > 0 ? ahead : await this.#batch(since)
    if (batch.isFull) {
      this.#ahead = this.#batch(since)
      // It is awaited by the next call.
      this.#ahead.catch(() => undefined)
    }
    return batch
  }

  async #batch(since: number): Promise<Batch> {
    const limit = this.#limit
    const { events, isHeldBack } = await this.#read(this.#cursor, limit, since)
    this.#cursor = events.at(-1) ?? this.#cursor
    const isFull = events.length >= limit
    this.#limit = this.#nextLimit(events, isFull ? limit * 2 : limit)
    return { events, isHeldBack, isFull }
  }

  #nextLimit(events: readonly LogEvent[], wanted: number): number {
    const length = events.reduce((sum, { record }) => sum + (record.size || 0), 0)
    const fitting = Math.floor((BATCH_LENGTH * events.length) / Math.max(1, length))
    return Math.max(1, Math.min(this.#maxBatch, wanted, events.length > 0 ? fitting : wanted))
  }
}
