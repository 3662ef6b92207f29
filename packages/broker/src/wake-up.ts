/** How long a reader of an empty log waits after the last news: shortly at first, for what is still being committed. */
const WAITS_MS = [5, 15, 50, 150, 500] as const

/** Wakes the readers of the log; what rings while a reader looks is not lost. */
export class WakeUp {
  #rings = 0
  readonly #waiting = new Set<() => void>()

  ring(): void {
    this.#rings += 1
    for (const done of [...this.#waiting]) done()
  }

  /** A reader's own view of the bell. */
  sleeper(): Sleeper {
    let heard = this.#rings
    let idle = 0
    return {
      awake: () => {
        heard = this.#rings
      },
      reset: () => {
        idle = 0
      },
      sleep: async (signal) => {
        if (heard !== this.#rings) {
          idle = 0
          return
        }
        const waitMs = WAITS_MS[Math.min(idle, WAITS_MS.length - 1)] ?? 500
        idle = (await this.#wait(waitMs, signal)) ? 0 : idle + 1
      },
    }
  }

  /** Answers whether it rang. */
  #wait(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false)
    const before = this.#rings
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve(this.#rings !== before)
      }
      const timer = setTimeout(done, milliseconds)
      this.#waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }
}

/** How one reader waits for news. */
export interface Sleeper {
  /** Called before looking: what rang until now is heard. */
  awake(): void
  /** Called when something was found. */
  reset(): void
  /** Waits for the bell, but not for long. */
  sleep(signal: AbortSignal): Promise<void>
}
