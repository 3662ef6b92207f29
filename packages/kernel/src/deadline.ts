/** Longest wait of a timer of Node; with a longer one it would fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * A signal that aborts at its time, or with the signal it is given, until the work is over and it is disposed of. An
 * `AbortSignal.any` of an `AbortSignal.timeout` stays in memory until the time has come, with all that listens to it
 * and the context it was made in, however soon the work is over: a leak of as many as are made in that time.
 */
export class Deadline implements Disposable {
  readonly #over = new AbortController()
  readonly #given: AbortSignal | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, given?: AbortSignal) {
    this.#given = given
    if (given?.aborted === true) this.abort(given.reason)
    else given?.addEventListener('abort', this.#follow)
    this.moveTo(ms)
  }

  get signal(): AbortSignal {
    return this.#over.signal
  }

  /** Aborts so many milliseconds from now instead, as with `AbortSignal.timeout`. */
  moveTo(ms: number): void {
    clearTimeout(this.#timer)
    if (this.signal.aborted) return
    this.#timer = setTimeout(() => this.abort(timeout()), Math.min(Math.max(0, ms), LONGEST_MS))
    this.#timer.unref()
  }

  abort(reason?: unknown): void {
    this[Symbol.dispose]()
    this.#over.abort(reason)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#given?.removeEventListener('abort', this.#follow)
  }

  readonly #follow = () => this.abort(this.#given?.reason)
}

const timeout = () => new DOMException('The operation was aborted due to timeout', 'TimeoutError')
