import type { IncomingMessage, RequestListener } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { contractFinder, headers as names } from '@platform/contracts'
import { correlationIdOf, requestsInFlight, sendJson } from '@platform/http'
import { Failure } from '@platform/kernel'
import { declaredEndpoints } from '@platform/openapi'

/** How often the event loop is judged. */
const SAMPLE_MS = 250
/** Samples in a row that must be bad: one long collection of garbage is no overload. */
const BAD_SAMPLES = 2
const NANOSECONDS_PER_MS = 1e6

/** From when on requests are turned away. */
export interface LoadLimits {
  /** Requests that are being answered. */
  maxInFlight: number
  /** p99 of the lag of the event loop; 0 turns no request away because of it. */
  maxLagMs: number
}

/** How much this process has to do. Judged by a timer, so that a request costs one comparison. */
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

/** How many were turned away, by reason. */
export interface Shed {
  eventLoop: number
  inFlight: number
}

const tooBusy = new Failure('ServiceUnavailable', 'The platform is busy: try again in a second.')

/**
 * Turns requests away while there is too much to do, before anything of them is looked at: 503 with `Retry-After`.
 * What was admitted is finished sooner. Nothing is logged, which would be more work; it is counted in `shed`.
 */
export const shedLoad =
  (load: Load, shed: Shed, next: RequestListener): RequestListener =>
  (request, response) => {
    if (!load.isHigh || isExempt(request)) {
      next(request, response)
      return
    }
    shed[load.lags ? 'eventLoop' : 'inFlight'] += 1
    const { headers } = request
    response.setHeader(
      names.correlationId,
      correlationIdOf(headers[names.correlationId], headers.traceparent),
    )
    response.setHeader('retry-after', '1')
    sendJson(response, tooBusy.status, tooBusy)
  }

const findExempt = contractFinder(declaredEndpoints.filter(({ shedExempt }) => shedExempt === true))

/** True for what is served under any load, in every version: whether the platform is up, and what takes rights away. */
export function isExempt({ method = '', url = '/' }: IncomingMessage): boolean {
  const question = url.indexOf('?')
  const path = question < 0 ? url : url.slice(0, question)
  if (path.startsWith('/sys/')) return method === 'GET' || method === 'HEAD'
  if (path === '/oidc/token/revocation') return method === 'POST'
  return findExempt(method, path.replace(/^\/v\d+\//, '/v2/')) !== undefined
}
