import { isOver, type RateLimit } from '../rate-limits/rate-limit.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'
import type { FormProblem } from '../sign-in/pages/account-form.ts'

/** Counts one use of a limit; answers the problem to show when there were too many. */
export async function takeLimit(
  rateLimiter: RateLimiter,
  limit: RateLimit,
  key: string,
): Promise<FormProblem | undefined> {
  const state = await rateLimiter.take(limit, key)
  return state !== undefined && isOver(state) ? { kind: 'tooMany', seconds: state.resetSeconds } : undefined
}
