import type { ServerResponse } from 'node:http'
import { type LimitName, rateLimits } from '@platform/contracts'
import { type RateLimiter, requestState, showLimit, toFailure } from '@platform/http'
import { WeakPassword } from '../credentials/passwords/password-rules.ts'
import type { FormProblem } from '../pages/account-form.ts'
import type { Page } from '../pages/page.ts'
import { sendPage } from '../pages/page.ts'
import type { PageContext } from './account-pages.ts'

const RETRY_AFTER_SECONDS = 1
const WEAK = { common: 'passwordCommon', personal: 'passwordPersonal' } as const

/**
 * The problem a failure is for the person at the form: something to correct or to wait for. Throws every other
 * failure again.
 */
export function problemOf(error: unknown): FormProblem {
  const failure = toFailure(error)
  if (failure instanceof WeakPassword) return { kind: 'fields', fields: { password: WEAK[failure.weakness] } }
  if (failure.name === 'AlreadyUsed') return { kind: 'fields', fields: { email: 'emailTaken' } }
  if (failure.name === 'TooManyRequests') return { kind: 'tooMany', seconds: failure.retryAfterSeconds ?? 60 }
  // Thrown by whoever guards the password hashes it is a matter of seconds; a store that is down may take longer.
  if (failure.name === 'ServiceUnavailable') return { kind: failure === error ? 'busy' : 'unavailable' }
  throw error
}

/**
 * As `problemOf`, for forms that mailed links open. A link that was used meanwhile is no problem of the form: there
 * is no form any more.
 */
export const linkProblemOf = (error: unknown): 'badLink' | { problem: FormProblem } =>
  toFailure(error).name === 'InvalidOrExpiredToken' ? 'badLink' : { problem: problemOf(error) }

/** Answers with the form again, and why. */
export function sendProblem(response: ServerResponse, problem: FormProblem, page: Page): void {
  const status = statusOf(problem)
  if (problem.kind === 'tooMany') response.setHeader('retry-after', String(problem.seconds))
  else if (status === 503) response.setHeader('retry-after', String(RETRY_AFTER_SECONDS))
  sendPage(response, status, page)
}

function statusOf(problem: FormProblem): number {
  if (problem.kind === 'tooMany') return 429
  if (problem.kind !== 'fields') return 503
  return problem.fields.email === 'emailTaken' ? 409 : 400
}

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
