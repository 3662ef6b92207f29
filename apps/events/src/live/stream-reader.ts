import { type EventRecord, eventStream } from '@platform/contracts'
import type { PlacedDocument } from '@platform/search'
import { TimeSlice } from '../event-log/time-slice.ts'
import type { EventWriter } from './event-writer.ts'
import { LiveEvent } from './live-event.ts'
import { mayWant, type Reader, wants } from './reader.ts'
import type { ReaderTopics } from './reader-topics.ts'
import type { TailReader } from './rooms.ts'
import type { LiveLog, Tail } from './tail.ts'

/** Events that are buffered while older ones are still being read. */
const BUFFER_MAX = 1000
const PAGE = 200

/** Why a stream is ended by us; the client comes back behind the last event it has. */
export type EndReason = 'slow' | 'refused' | 'leaving' | 'broken'

/** What a stream is asked for beside its filter. */
export interface StreamWish {
  /** The only types it wants, where all of them are named. */
  types?: ReadonlySet<string> | undefined
  /** Messages without a name, for `onmessage`. */
  isUnnamed?: boolean
}

interface Deps {
  tail: Tail
  log: LiveLog
  topics: Pick<ReaderTopics, 'load'>
  /** Called once; without a reason when the client has left. */
  onEnd: (reader: StreamReader, reason: EndReason | undefined) => void
}

/** One event stream: what happened since the event its client names, then what happens, in the order of the log. */
export class StreamReader implements TailReader {
  readonly reader: Reader
  readonly workspaceId: string
  readonly types: ReadonlySet<string> | undefined
  readonly #deps: Deps
  readonly #isUnnamed: boolean
  #writer: EventWriter | undefined
  /** The sequence of the last event the tail has handed over, or of the tail when it was joined. */
  #after = 0
  /** Undefined as soon as everything older is written. */
  #buffered: LiveEvent[] | undefined = []
  /** Everything up to here is written or buffered; what came later was too much for the buffer. */
  #bufferedUntil = 0
  #hasOverflowed = false
  #isOver = false

  constructor(reader: Reader, { types, isUnnamed = false }: StreamWish = {}, deps: Deps) {
    this.reader = reader
    this.types = types
    this.#isUnnamed = isUnnamed
    this.workspaceId = reader.admission.workspace.id
    this.#deps = deps
  }

  /** Begins to write, with what came after the sequence `from`. */
  begin(writer: EventWriter, from: number): void {
    this.#writer = writer
    if (this.#isOver) writer.end()
    else this.#catchUp(from).catch(() => this.end('broken'))
  }

  take(event: LiveEvent): boolean {
    if (this.#isOver || !this.#isNew(event) || !mayWant(this.reader, event.record, event.asked)) return false
    if (this.#buffered === undefined) return this.#write(event)
    if (this.#buffered.length >= BUFFER_MAX) this.#hasOverflowed = true
    if (this.#hasOverflowed) return false
    this.#buffered.push(event)
    this.#bufferedUntil = event.sequence ?? this.#bufferedUntil
    return true
  }

  heartbeat(): void {
    this.#writer?.comment(': still here\n\n')
  }

  /** Ends after the last whole event; without a reason the client is gone. */
  end(reason: EndReason | undefined): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#deps.tail.leave(this)
    this.#deps.onEnd(this, reason)
    this.#writer?.end()
  }

  #isNew({ sequence }: LiveEvent): boolean {
    if (sequence === undefined) return true
    if (sequence <= this.#after) return false
    this.#after = sequence
    return true
  }

  #write(event: LiveEvent): boolean {
    const frame = this.#isUnnamed ? event.unnamedFrame : event.frame
    if (this.#writer?.write(frame) === true) return true
    this.end('slow')
    return false
  }

  async #catchUp(from: number): Promise<void> {
    let at = from
    do {
      const joinedAt = await this.#join(at)
      if (this.reader.topics === undefined) await this.#deps.topics.load(this.reader)
      await this.#writeOlder(at, joinedAt)
      await this.#writeBuffered()
      at = Math.max(at, this.#bufferedUntil)
    } while (this.#buffered !== undefined && !this.#isOver)
  }

  /** From the sequence that is answered on the tail misses nothing; it may be earlier than what was asked for. */
  async #join(from: number): Promise<number> {
    const { tail } = this.#deps
    tail.leave(this)
    this.#buffered = []
    this.#hasOverflowed = false
    this.#after = from
    this.#bufferedUntil = 0
    const joinedAt = await tail.join(this)
    // Something may have been handed over before this line runs; what is not behind that sequence is read from the log.
    this.#buffered = this.#buffered.filter(({ sequence }) => sequence === undefined || sequence > joinedAt)
    this.#after = Math.max(joinedAt, this.#after)
    this.#bufferedUntil = Math.max(joinedAt, this.#bufferedUntil)
    if (this.#isOver) tail.leave(this)
    return joinedAt
  }

  /** Pages of the log, each when the client has taken the one before. */
  async #writeOlder(from: number, until: number): Promise<void> {
    const stream = eventStream(this.workspaceId)
    for (let at = from; at < until && !this.#isOver; ) {
      const page = await this.#deps.log.readAfter(at, PAGE, stream)
      await this.#writePage(page.filter(({ sequence }) => sequence <= until))
      if (page.length < PAGE) return
      at = page.at(-1)?.sequence ?? until
    }
  }

  async #writePage(page: readonly PlacedDocument[]): Promise<void> {
    const slice = new TimeSlice()
    for (const { document, sequence } of page) {
      if (slice.isOver) await slice.yield()
      await this.#writeInTime(new LiveEvent(document as unknown as EventRecord, sequence))
    }
  }

  async #writeBuffered(): Promise<void> {
    for (let event = this.#buffered?.shift(); event !== undefined; event = this.#buffered?.shift())
      await this.#writeInTime(event)
    // At once: an event that is handed over a moment later must not land in a buffer that is written no more.
    if (!this.#hasOverflowed) this.#buffered = undefined
  }

  /** The client is waited for, but not for ever: its buffer would stay. */
  async #writeInTime(event: LiveEvent): Promise<void> {
    if (this.#isOver || !wants(this.reader, event.record, event.asked)) return
    if ((await this.#writer?.drained()) === false) this.end('slow')
    if (!this.#isOver) this.#write(event)
  }
}
