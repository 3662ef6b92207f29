import type { ServerResponse } from 'node:http'
import type { RateLimit } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { LimitState } from './route-services.ts'

/**
 * Both families of headers of a limited route: those of the IETF draft, and the older three. `nowMs` is Unix time.
 */
function limitHeaders({ limit, remaining, resetSeconds }: LimitState, nowMs: number): Record<string, string> {
  const left = Math.max(0, remaining)
  const burst = limit.burst === undefined ? '' : `;burst=${limit.burst}`
  return {
    'ratelimit-policy': `"${limit.name}";q=${limit.points};w=${limit.seconds}${burst}`,
    ratelimit: `"${limit.name}";r=${left};t=${resetSeconds}`,
    'x-ratelimit-limit': String(limit.points),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(nowMs / 1000) + resetSeconds),
  }
}

/** Shows the caller the limit; of several limits, the response shows the one that is used up first. */
export function showLimit(response: ServerResponse, state: LimitState): void {
  const shown = response.getHeader('x-ratelimit-remaining')
  if (shown === undefined || Number(shown) > Math.max(0, state.remaining)) setLimitHeaders(response, state)
}

/** Shows the caller this limit, whichever was shown before. */
export function setLimitHeaders(response: ServerResponse, state: LimitState): void {
  for (const [name, value] of Object.entries(limitHeaders(state, Date.now()))) response.setHeader(name, value)
}

/** The refusal of a caller who is over a limit; its response also has the headers of the limit. */
export class TooManyRequests extends Failure {
  readonly state: LimitState

  constructor(state: LimitState, message = refusal(state)) {
    const { limit, resetSeconds } = state
    super('TooManyRequests', message, {
      details: { retryAfter: resetSeconds, limit: limit.name },
      retryAfterSeconds: resetSeconds,
    })
    this.state = state
  }
}

const refusal = ({ limit, resetSeconds }: LimitState): string =>
  `Too many requests: the limit ${limit.name} is ${limit.points} ${windowOf(limit)}; ` +
  `try again in ${resetSeconds} seconds.`

const windows: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 86400: 'a day' }

const windowOf = ({ seconds }: RateLimit): string => windows[seconds] ?? `in ${seconds} seconds`
