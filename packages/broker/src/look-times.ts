/** A group that finds something rests for what it took to handle it, but so long at most. */
const REST_MS = 20
/**
 * So far apart are the moments at which groups look, by how many events come each millisecond. Whoever looks less often
 * does so when all others look, too.
 */
function apartMs(perMs: number): number {
  if (perMs < 1) return 15
  return perMs < 2.5 ? 30 : 60
}

/**
 * When a group looks at the log that finds something again and again: at moments that are the same for all groups of a
 * process, so that one question to the database serves them all, and less often where much comes, because a look, and
 * handling what it finds, cost little more when it finds more.
 */
export class LookTimes {
  #found = 0
  /** When it looked last, and since when it counts what it finds (`performance.now()`). */
  #lookedAt = performance.now()
  #countedFrom = this.#lookedAt

  /** It has looked and found so many. */
  found(count: number): void {
    this.#found += count
    this.#lookedAt = performance.now()
  }

  /** The moment of the next look, now that what was found is handled; as `performance.now()` counts. */
  next(): number {
    const apart = apartMs(this.#found / Math.max(1, this.#lookedAt - this.#countedFrom))
    this.#found = 0
    this.#countedFrom = this.#lookedAt
    const now = performance.now()
    const restMs = Math.min(now - this.#lookedAt, REST_MS)
    return (Math.floor((now + restMs) / apart) + 1) * apart
  }
}
