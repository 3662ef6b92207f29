import type { LogCursor, LogEvent, LogPage } from './event-log.ts'

/** Reads the next `limit` events after a cursor, in the order of the log; those of some types may be brief. */
export type ReadLog = (after: LogCursor, limit: number, briefTypes?: readonly string[]) => Promise<LogPage>

/** The same, all that a question finds that is asked at `since` or later (as `performance.now()` counts). */
export type ReadSince = (after: LogCursor, limit: number, since: number) => Promise<LogPage>

/** What is kept at most: characters of records, and events. */
const LENGTH_MAX = 4_000_000
const EVENTS_MAX = 2048

/** A group, and where it has read to. */
interface Reader {
  readonly briefTypes: readonly string[]
  after: LogCursor | undefined
}

/** A question that is under way, or was the last one and found nothing. */
interface Asked {
  readonly after: LogCursor
  readonly at: number
  readonly answer: Promise<LogPage>
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
  /** When the question was asked that found the last of them. */
  #askedAt = Number.NEGATIVE_INFINITY
  /** Whether more than these had been held back when they were read. */
  #isHeldBack = false
  #asked: Asked | undefined
  readonly #readers = new Set<Reader>()
  /** What all of them take as a `BriefRecord`. */
  #briefTypes: readonly string[] = []

  constructor(read: ReadLog) {
    this.#read = read
  }

  /**
   * How one more group reads. While it is the only one, nothing is kept. Events are brief that are of the `briefTypes`
   * of all groups: what is shared is whole for who wants it whole.
   */
  reader(briefTypes: readonly string[] = []): ReadSince & Disposable {
    const reader: Reader = { briefTypes, after: undefined }
    this.#readers.add(reader)
    this.#shareAnew()
    const next: ReadSince = (after, limit, since) => {
      reader.after = after
      return this.#readers.size < 2
        ? this.#read(after, limit, this.#briefTypes)
        : this.#next(after, limit, since)
    }
    return Object.assign(next, {
      [Symbol.dispose]: () => {
        this.#readers.delete(reader)
        this.#shareAnew()
      },
    })
  }

  /** What was read for the groups of before may not be whole for those of now. */
  #shareAnew(): void {
    const [first, ...others] = this.#readers
    const isOfAll = (type: string): boolean => others.every(({ briefTypes }) => briefTypes.includes(type))
    this.#briefTypes = (first?.briefTypes ?? []).filter(isOfAll)
    this.forget()
  }

  /** The log is not what it was: it was put into another server. */
  forget(): void {
    this.#start = undefined
    this.#events = []
    this.#length = 0
    this.#asked = undefined
  }

  async #next(after: LogCursor, limit: number, since: number): Promise<LogPage> {
    this.#forgetRead()
    const before = this.#askedAfter(after)
    if (before !== undefined) await before.answer.catch(() => undefined)
    const known = this.#after(after, limit)
    if (known.length === 0) {
      const { events, isHeldBack } = await this.#askSince(after, limit, since)
      return { events: events.slice(0, limit), isHeldBack }
    }
    const end = this.#events.at(-1)
    if (known.length < limit && this.#askedAt < since && end !== undefined)
      await this.#askSince(end, limit, since)
    // Meanwhile the window may have begun anew.
    const all = this.#after(after, limit)
    return { events: all.length > known.length ? all : known, isHeldBack: this.#isHeldBack }
  }

  /** What was asked before may have missed what woke the group. */
  #askSince(after: LogCursor, limit: number, since: number): Promise<LogPage> {
    const asked = this.#askedAfter(after)
    return (asked !== undefined && asked.at >= since ? asked : this.#ask(after, limit)).answer
  }

  #askedAfter(after: LogCursor): Asked | undefined {
    const asked = this.#asked
    return asked !== undefined && compare(asked.after, after) === 0 ? asked : undefined
  }

  #ask(after: LogCursor, limit: number): Asked {
    const at = performance.now()
    const asked = { after, at, answer: this.#readAndKeep(after, limit, at) }
    this.#asked = asked
    const forget = () => {
      if (this.#asked === asked) this.#asked = undefined
    }
    asked.answer.then(({ events }) => events.length > 0 && forget(), forget)
    return asked
  }

  async #readAndKeep(after: LogCursor, limit: number, at: number): Promise<LogPage> {
    const briefTypes = this.#briefTypes
    const page = await this.#read(after, limit, briefTypes)
    // Who has come meanwhile may want what was read brief.
    const isShared = this.#briefTypes === briefTypes
    if (isShared && page.events.length > 0 && this.#isAtEnd(after)) this.#keep(after, page, at)
    return page
  }

  /** A group far behind reads for itself; whoever is ahead of all begins the window anew. */
  #isAtEnd(after: LogCursor): boolean {
    const end = this.#events.at(-1)
    return end === undefined || compare(end, after) <= 0
  }

  #keep(after: LogCursor, { events, isHeldBack }: LogPage, at: number): void {
    const end = this.#events.at(-1)
    if (end === undefined || compare(end, after) !== 0) {
      this.forget()
      this.#start = after
    }
    this.#events.push(...events)
    this.#askedAt = at
    this.#isHeldBack = isHeldBack
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
