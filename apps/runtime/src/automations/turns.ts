/** Longest all runs of a process work in one turn of its event loop. */
const SLICE_MS = 5

/** The turn of the loop a run may work in. */
export type Turn = number

/**
 * Shares the turns of the event loop among the runs of a process, so that requests, timers and answers come in
 * between.
 */
export class Turns {
  readonly #waiting = new Set<(turn: Turn) => void>()
  #turn: Turn = 1
  #startedAt: number | undefined

  /** The turn a run may go on in that had this one before; undefined when it has to wait for its next. */
  take(before: Turn, now: number): Turn | undefined {
    // Who comes new stands behind those who wait.
    if (before !== this.#turn && this.#waiting.size > 0) return undefined
    this.#startedAt ??= this.#begin(now)
    return now - this.#startedAt < SLICE_MS ? this.#turn : undefined
  }

  /** Resolves in a later turn; who has waited longest comes first. */
  next(): Promise<Turn> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve)
      setImmediate(this.#wake)
    })
  }

  #begin(now: number): number {
    setImmediate(() => {
      this.#turn += 1
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
    first(this.#turn)
  }
}
