interface Wait {
  readonly endsAt: number
  readonly reject: (error: unknown) => void
}

/**
 * Ends waits that take too long, all of them with one timer: to set one for each, and to clear it, takes longer than to
 * write down what is waited for.
 */
export class Deadline {
  readonly #ms: number
  /** In the order in which they end. */
  readonly #waits = new Set<Wait>()
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number) {
    this.#ms = ms
  }

  /** What the work answers; rejects when it has not within the time. */
  inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait = { endsAt: performance.now() + this.#ms, reject }
      this.#waits.add(wait)
      this.#timer ??= setTimeout(this.#endLate, this.#ms)
      work.then(
        (value) => {
          this.#waits.delete(wait)
          resolve(value)
        },
        (error: unknown) => {
          this.#waits.delete(wait)
          reject(error)
        },
      )
    })
  }

  /** It is set while anything is waited for, and once more at most: waits end before it more often than not. */
  readonly #endLate = (): void => {
    this.#timer = undefined
    const now = performance.now()
    for (const wait of this.#waits) {
      if (wait.endsAt > now) {
        this.#timer = setTimeout(this.#endLate, Math.ceil(wait.endsAt - now))
        return
      }
      this.#waits.delete(wait)
      wait.reject(new Error('No answer in time.'))
    }
  }
}
