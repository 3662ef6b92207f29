/** A group that finds something rests for what it took to handle it, but so long at most. */
const REST_MS = 20
/**
 * So far apart are the moments at which groups look, by how many events come each millisecond. Whoever looks less often
 * does so when all others look, too.
 */
const MOMENTS = [
  { below: 1, apartMs: 15 },
  { below: 2.5, apartMs: 30 },
  { below: Number.POSITIVE_INFINITY, apartMs: 60 },
] as const

/**
 * When a group looks at the log that finds something again and again: at moments that are the same for all groups of a
 * process, so that one question to the database serves them all, and less often where much comes, because a look, and
 * handling what it finds, cost little more when it finds more.
 */
export class LookTimes {
  #found = 0
  /** When it looked last, and at the end of the rest before (`performance.now()`). */
  #lookedAt = performance.now()
  #restedAt = performance.now()

  /** It has looked and found so many. */
  found(count: number): void {
    this.#found += count
    this.#lookedAt = performance.now()
  }

  /** The moment of the next look, now that what was found is handled; as `performance.now()` counts. */
  next(): number {
    const perMs = this.#found / Math.max(1, this.#lookedAt - this.#restedAt)
    this.#found = 0
    this.#restedAt = this.#lookedAt
    const apartMs = MOMENTS.find(({ below }) => perMs < below)?.apartMs ?? 0
    const now = performance.now()
    const restMs = Math.min(now - this.#lookedAt, REST_MS)
    return (Math.floor((now + restMs) / apartMs) + 1) * apartMs
  }
}
