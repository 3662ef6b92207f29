import type { EventRecord } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import type { Log } from '@platform/search'
import { Pace } from '../event-log/time-slice.ts'
import { LiveEvent } from './live-event.ts'
import { Rooms, type TailReader } from './rooms.ts'

const PAGE = 500
/** News may be missed; this is how long they then wait. */
const SAFETY_MS = 2000
const RETRY_MS = 300
/** Events that are not kept and wait for readers; what comes beyond them is missed. */
const UNKEPT_MAX = 1000

/** Follows the log for all live readers of the process. Nothing is read while nobody listens. */
export class Tail implements AsyncDisposable {
  readonly #log: LiveLog
  readonly #logger: Logger
  readonly #rooms = new Rooms()
  readonly #stack = new AsyncDisposableStack()
  /** Everything up to here was handed out; undefined while nobody listens. */
  #position: number | undefined
  #isReading = false
  #hasNews = false
  /** Events that are not kept, on their way to readers; the first is being handed out. */
  readonly #unkept: LiveEvent[] = []
  /** Events handed to readers who wanted them. */
  delivered = 0

  private constructor(log: LiveLog, logger: Logger) {
    this.#log = log
    this.#logger = logger
  }

  static async open(log: LiveLog, logger: Logger): Promise<Tail> {
    const tail = new Tail(log, logger)
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
    // What was appended while the end of the log was asked for woke nobody.
    if (isFirst) this.#wake()
    return this.#position
  }

  leave(reader: TailReader): void {
    this.#rooms.remove(reader)
    if (this.#rooms.isEmpty) this.#position = undefined
  }

  /** Hands out an event that is not kept. */
  hear(record: EventRecord): void {
    if (this.#rooms.isEmpty || this.#unkept.length >= UNKEPT_MAX) return
    this.#unkept.push(new LiveEvent(record))
    if (this.#unkept.length > 1) return
    this.#handOutUnkept().catch((error: unknown) => {
      this.#unkept.length = 0
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
    const pace = new Pace()
    while ((isFull || this.#hasNews) && this.#position !== undefined) {
      this.#hasNews = false
      const page = await this.#log.readAfter(this.#position, PAGE)
      for (const { document, sequence } of page)
        if (this.#pass(sequence))
          await this.#handOut(new LiveEvent(document as unknown as EventRecord, sequence), pace)
      isFull = page.length === PAGE
    }
  }

  /**
   * False for what nobody waits for: everybody may have left while it was read, and others have come who begin later.
   */
  #pass(sequence: number): boolean {
    if (this.#position === undefined || sequence <= this.#position) return false
    this.#position = sequence
    return true
  }

  async #handOutUnkept(): Promise<void> {
    const pace = new Pace()
    for (let event = this.#unkept[0]; event !== undefined; event = this.#unkept[0]) {
      await this.#handOut(event, pace)
      this.#unkept.shift()
    }
  }

  /** Whoever joins while others are looked at reads the event from the log; whoever has left takes nothing. */
  async #handOut(event: LiveEvent, pace: Pace): Promise<void> {
    for (const reader of this.#rooms.readersOf(event.record)) {
      if (pace.isDue) await pace.rest()
      if (reader.take(event)) this.delivered += 1
    }
  }
}

/** What live readers need of the log. */
export type LiveLog = Pick<Log, 'readAfter' | 'placeOf' | 'lastSequence' | 'endOf' | 'sequencesOf' | 'listen'>
