import { Failure } from '@platform/kernel'
import type { LimitState } from './rate-limiter.ts'

/** The refusal of whoever is over a limit. Whoever answers it also sends the headers of the limit (decisions A8). */
export class TooManyRequests extends Failure {
  readonly state: LimitState

  constructor(state: LimitState, message = `Too many requests: try again in ${state.resetSeconds} seconds.`) {
    const { resetSeconds } = state
    super('TooManyRequests', message, {
      details: { retryAfter: resetSeconds },
      retryAfterSeconds: resetSeconds,
    })
    this.state = state
  }
}
