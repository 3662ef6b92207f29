import { type LimitName, rateLimits } from '@platform/contracts'
import { type RateLimiter, requestState, showLimit } from '@platform/http'
import type { FormProblem } from '../pages/account-form.ts'
import type { PageContext } from './account-pages.ts'

/** Counts one use of a limit for the address of a visitor; answers the problem to show when there were too many. */
export async function takeLimit(
  rateLimiter: RateLimiter,
  name: LimitName,
  { request, response }: PageContext,
): Promise<FormProblem | undefined> {
  const state = await rateLimiter.take(rateLimits[name], requestState(request).clientIp)
  if (state === undefined) return undefined
  showLimit(response, state)
  return state.remaining < 0 ? { kind: 'tooMany', seconds: state.resetSeconds } : undefined
}
