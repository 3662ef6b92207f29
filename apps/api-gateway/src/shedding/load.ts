import { monitorEventLoopDelay } from 'node:perf_hooks'
import { requestsInFlight } from '@platform/http'

/** How often the event loop is judged. */
const SAMPLE_MS = 250
/** Samples in a row that must be bad: one long collection of garbage is no overload. */
const BAD_SAMPLES = 2
const NANOSECONDS_PER_MS = 1e6

/** From when on requests are turned away. */
export interface LoadLimits {
  /** Requests that are being answered. */
  maxInFlight: number
  /** p99 of the lag of the event loop; 0 never turns anybody away because of it. */
  maxLagMs: number
}

/** How much this process has to do (reliability §6). Judged by a timer, so that a request costs one comparison. */
export class Load implements Disposable {
  readonly #limits: LoadLimits
  /** Requests that this gateway is answering, counted by the code that takes them. */
  readonly inFlight = requestsInFlight('api-gateway')
  readonly #lag = monitorEventLoopDelay({ resolution: 20 })
  readonly #timer: NodeJS.Timeout
  #bad = 0
  /** Requests that may be in flight at the moment: none while the event loop lags. */
  #limit: number

  constructor(limits: LoadLimits) {
    this.#limits = limits
    this.#limit = limits.maxInFlight
    this.#lag.enable()
    this.#timer = setInterval(() => {
      // The first interval after a reset is not counted: a loop that hardly turns needs longer for a sample.
      if (this.#lag.count === 0) return
      this.judge(this.#lag.percentile(99) / NANOSECONDS_PER_MS)
      this.#lag.reset()
    }, SAMPLE_MS).unref()
  }

  /** True when a further request would be one too many. */
  get isHigh(): boolean {
    return this.inFlight.count >= this.#limit
  }

  /** True when the reason is the event loop. */
  get lags(): boolean {
    return this.#limit === 0
  }

  /** Takes a new sample of the lag into account. */
  judge(lagMs: number): void {
    const isBad = this.#limits.maxLagMs > 0 && lagMs > this.#limits.maxLagMs
    this.#bad = isBad ? this.#bad + 1 : 0
    this.#limit = this.#bad >= BAD_SAMPLES ? 0 : this.#limits.maxInFlight
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#lag.disable()
  }
}
