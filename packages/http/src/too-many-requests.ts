import type { RateLimit } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { LimitState } from './rate-limiter.ts'

/** The refusal of whoever is over a limit. Whoever answers it also sends the headers of the limit (decisions A8). */
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
  `Too many requests: the limit ${limit.name} is ${limit.points} ${windowOf(limit)}; try again in ${resetSeconds} seconds.`

const windows: Readonly<Record<number, string>> = { 1: 'a second', 60: 'a minute', 86400: 'a day' }

const windowOf = ({ seconds }: RateLimit): string => windows[seconds] ?? `in ${seconds} seconds`
