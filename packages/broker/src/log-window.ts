import type { LogCursor, LogEvent } from './event-log.ts'

/** Reads the next `limit` events after a cursor, in the order of the log. */
export type ReadLog = (after: LogCursor, limit: number) => Promise<LogEvent[]>

/** What is kept at most: characters of records, and events. */
const LENGTH_MAX = 4_000_000
const EVENTS_MAX = 2048

/** A group, and where it has read to. */
interface Reader {
  after: LogCursor | undefined
}

/** A question that is under way. */
interface Asked {
  readonly after: LogCursor
  readonly answer: Promise<LogEvent[]>
}

/**
 * The last events of the log that were read, for groups that one process handles beside each other: they stand at
 * nearly the same place, and what one has read need not be fetched and parsed again for the others. The log only grows
 * at its end, so what lies between two events that were read together never changes. All groups get the same records:
 * nobody changes them.
 */
export class LogWindow {
  readonly #read: ReadLog
  /** Where the events begin. */
  #start: LogCursor | undefined
  #events: LogEvent[] = []
  #length = 0
  #asked: Asked | undefined
  readonly #readers = new Set<Reader>()

  constructor(read: ReadLog) {
    this.#read = read
  }

  /** How one more group reads. While it is the only one, nothing is kept. */
  reader(): ReadLog & Disposable {
    const reader: Reader = { after: undefined }
    this.#readers.add(reader)
    const next = (after: LogCursor, limit: number) => {
      reader.after = after
      return this.#next(after, limit)
    }
    return Object.assign(next, {
      [Symbol.dispose]: () => {
        this.#readers.delete(reader)
        if (this.#readers.size < 2) this.forget()
      },
    })
  }

  /** The log is not what it was: it was put into another server. */
  forget(): void {
    this.#start = undefined
    this.#events = []
    this.#length = 0
  }

  async #next(after: LogCursor, limit: number): Promise<LogEvent[]> {
    if (this.#readers.size < 2) return await this.#read(after, limit)
    this.#forgetRead()
    const asked = this.#asked
    if (asked !== undefined && compare(asked.after, after) === 0) await asked.answer.catch(() => undefined)
    const known = this.#after(after, limit)
    if (known.length > 0) return known
    // What was asked before this call may have missed what wakes it; what was asked since has not.
    const { answer } = this.#askedSince(asked, after) ?? this.#ask(after, limit)
    return (await answer).slice(0, limit)
  }

  #askedSince(before: Asked | undefined, after: LogCursor): Asked | undefined {
    const asked = this.#asked
    return asked !== before && asked !== undefined && compare(asked.after, after) === 0 ? asked : undefined
  }

  #ask(after: LogCursor, limit: number): Asked {
    const asked = { after, answer: this.#readAndKeep(after, limit) }
    this.#asked = asked
    const done = () => {
      if (this.#asked === asked) this.#asked = undefined
    }
    asked.answer.then(done, done)
    return asked
  }

  async #readAndKeep(after: LogCursor, limit: number): Promise<LogEvent[]> {
    const events = await this.#read(after, limit)
    if (events.length > 0 && this.#isAtEnd(after)) this.#keep(after, events)
    return events
  }

  /** A group far behind reads for itself; whoever is ahead of all begins the window anew. */
  #isAtEnd(after: LogCursor): boolean {
    const end = this.#events.at(-1)
    return end === undefined || compare(end, after) <= 0
  }

  #keep(after: LogCursor, events: readonly LogEvent[]): void {
    const end = this.#events.at(-1)
    if (end === undefined || compare(end, after) !== 0) {
      this.forget()
      this.#start = after
    }
    this.#events.push(...events)
    for (const event of events) this.#length += lengthOf(event)
    let tooMany = 0
    let length = this.#length
    for (; this.#events.length - tooMany > EVENTS_MAX || length > LENGTH_MAX; tooMany += 1) {
      const first = this.#events[tooMany]
      if (first === undefined) break
      length -= lengthOf(first)
    }
    this.#drop(tooMany)
  }

  /**
   * What every group has read that stands in the window needs not be kept: under load it would be all that the
   * process collects late.
   */
  #forgetRead(): void {
    const start = this.#start
    if (start === undefined) return
    let least: LogCursor | undefined
    for (const { after } of this.#readers) {
      if (after === undefined || compare(after, start) < 0) continue
      if (least === undefined || compare(after, least) < 0) least = after
    }
    if (least !== undefined) this.#drop(this.#firstAfter(least))
  }

  #drop(count: number): void {
    const last = this.#events[count - 1]
    if (last === undefined) return
    this.#start = last
    for (const event of this.#events.splice(0, count)) this.#length -= lengthOf(event)
  }

  #after(after: LogCursor, limit: number): LogEvent[] {
    if (this.#start === undefined || compare(after, this.#start) < 0) return []
    const from = this.#firstAfter(after)
    return this.#events.slice(from, from + limit)
  }

  #firstAfter(after: LogCursor): number {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = this.#events[middle]
      if (event !== undefined && compare(event, after) > 0) high = middle
      else low = middle + 1
    }
    return low
  }
}

const lengthOf = ({ record }: LogEvent): number => record.size || 0

/** Transaction ids are numbers of up to 20 digits, without leading zeros. */
function compare(one: LogCursor, other: LogCursor): number {
  if (one.xid === other.xid) return one.position - other.position
  const digits = one.xid.length - other.xid.length
  if (digits !== 0) return digits
  return one.xid < other.xid ? -1 : 1
}
