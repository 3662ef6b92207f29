/** True for what a call is ended with when its time is over. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'TimeoutError'

/** How long a call may take, and whether anybody wants it still: one signal for both. */
export class CallTime {
  readonly #controller = new AbortController()
  readonly #longestMs: number
  readonly #given: AbortSignal | undefined
  readonly #abort = () => this.#stop(this.#given?.reason)
  #timer: NodeJS.Timeout
  #leave: ((reason: unknown) => void) | undefined

  /** Until the answer is there, and, where it is read while it comes, from then on. */
  constructor(ms: number, longestMs: number, given: AbortSignal | undefined) {
    this.#longestMs = longestMs
    this.#given = given
    this.#timer = this.#over(Math.min(ms, longestMs))
    if (given?.aborted === true) this.#abort()
    given?.addEventListener('abort', this.#abort, { once: true })
  }

  /** Aborts with a TimeoutError, or with the reason of who does not want it any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /**
   * What the work comes to; rejects with the reason of the signal as soon as that aborts. undici heeds the signal of a
   * request only once it has a connection for it: a name may be looked up, or an address dialled, for much longer.
   */
  heeded<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#leave = reject
      work.then(resolve, reject)
      if (this.signal.aborted) reject(this.signal.reason)
    })
  }

  prolong(): void {
    clearTimeout(this.#timer)
    this.#timer = this.#over(this.#longestMs)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#given?.removeEventListener('abort', this.#abort)
  }

  #over(ms: number): NodeJS.Timeout {
    const reason = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError')
    return setTimeout(() => this.#stop(reason()), Math.ceil(ms)).unref()
  }

  #stop(reason: unknown): void {
    this.#controller.abort(reason)
    this.#leave?.(this.signal.reason)
  }
}
