import type { LogEvent } from '@platform/broker'

/** A stream that refuses so many appends in a row, although its server responds, takes none until it is made anew. */
const REFUSALS = 3
/** A disk that is full again at once must not make the relay write everything again and again. */
const REMAKE_EVERY_MS = 60_000
const REPORT_EVERY_MS = 60_000

/** The failures since an append was last taken: how long the relay rests, what it reports, when it begins anew. */
export class RelayProgress {
  /** In a row, of any kind. */
  failures = 0
  /** In a row, of appends. */
  #refusals = 0
  #remadeAt = Number.NEGATIVE_INFINITY
  #reportedAt = Number.NEGATIVE_INFINITY
  #announcedId: string | undefined

  /** Notes that everything is in the stream. */
  succeeded(): void {
    this.failures = 0
    this.#refusals = 0
    this.#reportedAt = Number.NEGATIVE_INFINITY
  }

  /** Notes a failure; true when it is to be reported: the first in a row, and then one a minute. */
  failed(): boolean {
    this.failures += 1
    const now = performance.now()
    if (now - this.#reportedAt < REPORT_EVERY_MS) return false
    this.#reportedAt = now
    return true
  }

  /** Does an append and notes how it ended. */
  async appending<T>(append: () => Promise<T>): Promise<T> {
    try {
      const appended = await append()
      this.succeeded()
      return appended
    } catch (error) {
      this.#refusals += 1
      throw error
    }
  }

  /** True when the stream is to be made anew now; asking begins the time until the next. */
  mayRemake(): boolean {
    const now = performance.now()
    if (this.#refusals < REFUSALS || now - this.#remadeAt < REMAKE_EVERY_MS) return false
    this.#remadeAt = now
    return true
  }

  /** Those that were not handed out here before: what is tried again isn't announced again. */
  unannounced(events: LogEvent[]): LogEvent[] {
    const fresh = events.slice(events.findIndex(({ id }) => id === this.#announcedId) + 1)
    this.#announcedId = events.at(-1)?.id
    return fresh
  }
}
