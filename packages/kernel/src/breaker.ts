/**
 * Lets calls through while they end in time; after one that was too slow, one call at a time tries whether that has
 * changed, and the others are refused at once.
 */
export class Breaker {
  #openUntil = 0
  #pauseMs = 0
  #isAsking = false
  readonly #firstPauseMs: number
  readonly #longestPauseMs: number

  constructor(options: { firstPauseMs: number; longestPauseMs: number }) {
    this.#firstPauseMs = options.firstPauseMs
    this.#longestPauseMs = options.longestPauseMs
  }

  /** True when a call may be tried at `now` (milliseconds of a steady clock). */
  allows(now: number): boolean {
    if (this.#pauseMs === 0) return true
    if (now < this.#openUntil) return false
    // This call tries; the others wait for its result.
    this.#openUntil = now + this.#pauseMs
    this.#isAsking = true
    return true
  }

  succeeded(): void {
    this.#pauseMs = 0
    this.#isAsking = false
  }

  failed(now: number): void {
    // Calls that were on their way together fail together, which is one failure.
    if (this.#pauseMs > 0 && !this.#isAsking) return
    this.#isAsking = false
    this.#pauseMs = Math.min(this.#longestPauseMs, Math.max(this.#firstPauseMs, this.#pauseMs * 2))
    this.#openUntil = now + this.#pauseMs
  }
}
