/** Longest all runs of a process work in one turn of its event loop. */
const SLICE_MS = 5

/** The number of the turn of the event loop that work was last done in. */
export type Slice = number

/**
 * Shares the event loop among the runs of a process, so that requests, timers and answers come in between: in each
 * turn of the loop runs work for one slice of time, those that have waited longest first.
 */
export class TimeSlices {
  readonly #waiting = new Set<(slice: Slice) => void>()
  #slice: Slice = 1
  #startedAt: number | undefined

  /** The slice a run may go on in that worked in `before`; undefined when it has to wait for its next one. */
  take(before: Slice, now: number): Slice | undefined {
    // A run that is new to this slice stands behind those that wait.
    if (before !== this.#slice && this.#waiting.size > 0) return undefined
    this.#startedAt ??= this.#begin(now)
    return now - this.#startedAt < SLICE_MS ? this.#slice : undefined
  }

  /** Resolves in a later turn of the loop, in the order of the calls. */
  next(): Promise<Slice> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve)
      setImmediate(this.#wake)
    })
  }

  #begin(now: number): number {
    setImmediate(() => {
      this.#slice += 1
      this.#startedAt = undefined
    })
    return now
  }

  /** Called once for each run that waits, and again in the next turn when there is no time left in this one. */
  readonly #wake = (): void => {
    const now = performance.now()
    this.#startedAt ??= this.#begin(now)
    const [first] = this.#waiting
    if (first === undefined) return
    if (now - this.#startedAt >= SLICE_MS) {
      setImmediate(this.#wake)
      return
    }
    this.#waiting.delete(first)
    first(this.#slice)
  }
}
