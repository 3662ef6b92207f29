import { interactiveUser, type Principal } from '@platform/auth'
import { submitMfaCode as endpoint } from '@platform/contracts'
import { respond, route, TooManyRequests } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { UserRecord } from '../../users/user.ts'
import type { CodeCheck, SecondFactors } from './second-factors.ts'

interface AttemptContext {
  ip: string
  correlationId: string
}

/** What checking a code needs. */
export interface SubmitMfaCodeNeeds {
  secondFactors: Pick<SecondFactors, 'confirm' | 'check' | 'isPending' | 'methodOf'>
  users: { find(id: string): Promise<UserRecord | undefined> }
  /** Finishes the sign-in that waits for this code; `url` is where its browser goes on. */
  continueSignIn: (
    interaction: string,
    code: string,
    context: AttemptContext,
  ) => Promise<{ url: string } | Exclude<CodeCheck, 'right'>>
}

export const submitMfaCode = (deps: SubmitMfaCodeNeeds) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const context = { ip: request.clientIp, correlationId: request.correlationId }

      const outcome =
        body.interaction === undefined
          ? await confirmOwn(deps, principal, body.totp, context)
          : await deps.continueSignIn(body.interaction, body.totp, context)
      if (outcome === 'wrong') throw wrongCode()
      if ('tooMany' in outcome) throw new TooManyRequests(outcome.tooMany)

      return respond({ success: true, ...outcome }, { headers: { 'cache-control': 'no-store' } })
    },
  })

/**
 * Confirms the enrolment that somebody has begun; without one a code of theirs is checked, and used up as at a
 * sign-in.
 */
async function confirmOwn(
  { secondFactors, users }: SubmitMfaCodeNeeds,
  principal: Principal | undefined,
  code: string,
  context: AttemptContext,
): Promise<{ recoveryCodes?: string[] } | Exclude<CodeCheck, 'right'>> {
  const { userId } = interactiveUser(principal)
  const user = await users.find(userId)
  if (user === undefined)
    throw new Failure('AuthenticationError', 'The account of this session is gone: sign in again.')
  if (await secondFactors.isPending(userId)) return secondFactors.confirm(user, code, context)
  if ((await secondFactors.methodOf(userId)) === 'none')
    throw new Failure(
      'MissingMFA',
      'This account has no authenticator: begin to enrol one with POST /v2/user/mfa.',
    )
  const check = await secondFactors.check(user, code, context)
  return check === 'right' ? {} : check
}

const wrongCode = () =>
  new Failure('AuthenticationError', 'The code is not right, or was used before: wait for the next one.')
