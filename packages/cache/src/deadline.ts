import { SlotList } from '@platform/kernel'

interface Wait {
  readonly endsAt: number
  readonly reject: (error: unknown) => void
  isLate: boolean
}

/**
 * Ends waits that take too long, all of them with one timer: to set one for each, and to clear it, takes longer than to
 * write down what is waited for.
 */
export class Deadline {
  readonly #ms: number
  readonly #waits = new SlotList<Wait>()
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number) {
    this.#ms = ms
  }

  /** What the work answers; rejects when it has not within the time. */
  inTime<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const wait: Wait = { endsAt: performance.now() + this.#ms, reject, isLate: false }
      const place = this.#waits.add(wait)
      const forget = () => this.#waits.remove(place)
      this.#timer ??= setTimeout(this.#endLate, this.#ms)
      work.then(
        (value) => {
          forget()
          resolve(value)
        },
        (error: unknown) => {
          forget()
          reject(error)
        },
      )
    })
  }

  /** It is set while anything is waited for, and once more at most: waits end before it more often than not. */
  readonly #endLate = (): void => {
    this.#timer = undefined
    const now = performance.now()
    let nextMs = Number.POSITIVE_INFINITY
    for (const wait of this.#waits) {
      if (wait.isLate) continue
      wait.isLate = wait.endsAt <= now
      if (wait.isLate) wait.reject(new Error('No answer in time.'))
      else nextMs = Math.min(nextMs, wait.endsAt - now)
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(this.#endLate, Math.ceil(nextMs))
  }
}
