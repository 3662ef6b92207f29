import type { LogCursor, LogEvent } from './event-log.ts'

/** Characters of events that a batch is to have at most, as far as the sizes of the events before it show. */
const BATCH_LENGTH = 4_000_000
/** The first batch has so few events, because they may be large. */
const FIRST_BATCH = 64

interface Batch {
  events: LogEvent[]
  /** True when there may be more to read at once. */
  isFull: boolean
  /** True when there was so little that waiting for more is worth it. */
  isSmall: boolean
}

/**
 * Reads the log batch by batch. Where a batch was full the next one is read while it is handled. Batches grow to
 * `maxBatch`, and have fewer events where events are large, so that the memory they take is bounded.
 */
export class LogReader {
  readonly #read: (after: LogCursor, limit: number) => Promise<LogEvent[]>
  readonly #maxBatch: number
  #cursor: LogCursor
  #limit: number
  #ahead: Promise<Batch> | undefined

  constructor(
    read: (after: LogCursor, limit: number) => Promise<LogEvent[]>,
    { cursor, maxBatch }: { cursor: LogCursor; maxBatch: number },
  ) {
    this.#read = read
    this.#cursor = cursor
    this.#maxBatch = maxBatch
    this.#limit = Math.min(FIRST_BATCH, maxBatch)
  }

  async next(): Promise<Batch> {
    const ahead = await this.#ahead
    this.#ahead = undefined
    // An empty batch that was read ahead is old: since then events may have come.
    const batch = ahead !== undefined && ahead.events.length > 0 ? ahead : await this.#batch()
    if (batch.isFull) {
      this.#ahead = this.#batch()
      // It is awaited by the next call.
      this.#ahead.catch(() => undefined)
    }
    return batch
  }

  async #batch(): Promise<Batch> {
    const limit = this.#limit
    const events = await this.#read(this.#cursor, limit)
    this.#cursor = events.at(-1) ?? this.#cursor
    const isFull = events.length >= limit
    this.#limit = this.#nextLimit(events, isFull ? limit * 2 : limit)
    return { events, isFull, isSmall: events.length < limit / 2 }
  }

  #nextLimit(events: readonly LogEvent[], wanted: number): number {
    const length = events.reduce((sum, { record }) => sum + (record.size || 0), 0)
    const fitting = Math.floor((BATCH_LENGTH * events.length) / Math.max(1, length))
    return Math.max(1, Math.min(this.#maxBatch, wanted, events.length > 0 ? fitting : wanted))
  }
}
