import type { EventRecord } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import type { Log } from '@platform/search'
import { TimeSlice } from '../event-log/time-slice.ts'
import { LiveEvent } from './live-event.ts'
import { tellsOfMembers } from './reader-topics.ts'
import { Rooms, type TailReader } from './rooms.ts'

const PAGE = 500
/** News may be missed; this is how long they then wait. */
const SAFETY_MS = 2000
const RETRY_MS = 300
/** Events that are not stored and wait for readers; what comes beyond them is missed. */
const UNSTORED_MAX = 1000

/** What live readers need of the log. */
export type LiveLog = Pick<Log, 'readAfter' | 'placeOf' | 'lastSequence' | 'endOf' | 'sequencesOf' | 'listen'>

/** Follows the log for all live readers of the process. Nothing is read while there are no readers. */
export class Tail implements AsyncDisposable {
  readonly #log: LiveLog
  readonly #logger: Logger
  readonly #onMembers: (record: EventRecord) => void
  readonly #rooms = new Rooms()
  readonly #stack = new AsyncDisposableStack()
  /** Everything up to here was handed out; undefined while there are no readers. */
  #position: number | undefined
  #isReading = false
  #hasNews = false
  /** Events that are not stored, on their way to readers; the first is being handed out. */
  readonly #unstored: LiveEvent[] = []
  /** Events handed to readers who wanted them. */
  delivered = 0

  private constructor(log: LiveLog, logger: Logger, onMembers: (record: EventRecord) => void) {
    this.#log = log
    this.#logger = logger
    this.#onMembers = onMembers
  }

  /** `onMembers` is called with what tells of new members of topics, before anything behind it is handed out. */
  static async open(
    log: LiveLog,
    logger: Logger,
    onMembers: (record: EventRecord) => void = () => undefined,
  ): Promise<Tail> {
    const tail = new Tail(log, logger, onMembers)
    const wake = () => tail.#wake()
    tail.#stack.use(await log.listen(wake, wake))
    const safety = setInterval(wake, SAFETY_MS).unref()
    tail.#stack.defer(() => clearInterval(safety))
    return tail
  }

  /**
   * From now on the reader is handed every event of its workspace behind the sequence that is answered. Rejects when
   * the log is away.
   */
  async join(reader: TailReader): Promise<number> {
    const last = this.#position ?? (await this.#log.lastSequence())
    const isFirst = this.#position === undefined
    this.#position ??= last
    this.#rooms.add(reader)
    // What was appended while the end of the log was asked for has woken no reader.
    if (isFirst) this.#wake()
    return this.#position
  }

  leave(reader: TailReader): void {
    this.#rooms.remove(reader)
    if (this.#rooms.isEmpty) this.#position = undefined
  }

  /** Hands out an event that is not stored. */
  publish(record: EventRecord): void {
    if (this.#rooms.isEmpty || this.#unstored.length >= UNSTORED_MAX) return
    this.#unstored.push(new LiveEvent(record))
    if (this.#unstored.length > 1) return
    this.#handOutUnstored().catch((error: unknown) => {
      this.#unstored.length = 0
      this.#logger.warn({ err: error }, 'events that are not kept were missed')
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }

  #wake(): void {
    this.#hasNews = true
    if (this.#isReading || this.#position === undefined) return
    this.#isReading = true
    this.#follow()
      .catch((error: unknown) => {
        this.#logger.warn({ err: error }, 'the log could not be followed, it is tried again')
        setTimeout(() => this.#wake(), RETRY_MS).unref()
      })
      .finally(() => {
        this.#isReading = false
        if (this.#hasNews) this.#wake()
      })
  }

  async #follow(): Promise<void> {
    let isFull = false
    const slice = new TimeSlice()
    while ((isFull || this.#hasNews) && this.#position !== undefined) {
      this.#hasNews = false
      const page = await this.#log.readAfter(this.#position, PAGE)
      for (const { document, sequence } of page)
        if (this.#pass(sequence))
          await this.#handOut(new LiveEvent(document as unknown as EventRecord, sequence), slice)
      isFull = page.length === PAGE
    }
  }

  /**
   * False for what no reader waits for: all may have left while it was read, and others have come who begin later.
   */
  #pass(sequence: number): boolean {
    if (this.#position === undefined || sequence <= this.#position) return false
    this.#position = sequence
    return true
  }

  async #handOutUnstored(): Promise<void> {
    const slice = new TimeSlice()
    for (let event = this.#unstored[0]; event !== undefined; event = this.#unstored[0]) {
      await this.#handOut(event, slice)
      this.#unstored.shift()
    }
  }

  /** A reader that joins meanwhile reads the event from the log; one that has left takes nothing. */
  async #handOut(event: LiveEvent, slice: TimeSlice): Promise<void> {
    if (tellsOfMembers(event.record)) this.#onMembers(event.record)
    for (const reader of this.#rooms.readersOf(event.record)) {
      if (slice.isOver) await slice.yield()
      if (reader.take(event)) this.delivered += 1
    }
  }
}
