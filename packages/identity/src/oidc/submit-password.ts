import type { ServerResponse } from 'node:http'
import { type LimitState, requestState, showLimit } from '@platform/http'
import { Failure } from '@platform/kernel'
import { LOCAL_PROVIDER } from '../audit/sign-in-log.ts'
import type { Page } from '../pages/page.ts'
import { redirect, sendPage } from '../pages/page.ts'
import type { SignInProblem } from '../pages/sign-in-page.ts'
import { textsOf } from '../pages/texts.ts'
import { isEmail, normalizeEmail, type UserRecord } from '../users/user.ts'
import { afterPassword } from './after-password.ts'
import type { Attempt as Tried } from './attempt-limits.ts'
import { type ConsoleFormError, consoleForm, formOrigins } from './console-form.ts'
import { type InteractionContext, interactionForm } from './interaction-page.ts'
import type { OpenInteraction } from './interactions.ts'
import { passwordPageOf, type TypedCredentials } from './password-page.ts'
import type { SignInNeeds } from './sign-in-needs.ts'

/**
 * A refused sign-in is 401, not 200: password managers then don't offer to keep the password, and scripts see the
 * failure. The page is the form again, with the reason. A console's own form is told the name instead.
 */
const refusals: Record<SignInProblem['kind'], { status: number; error: ConsoleFormError }> = {
  wrong: { status: 401, error: 'AuthenticationError' },
  deactivated: { status: 403, error: 'AuthenticationError' },
  notConfirmed: { status: 403, error: 'ValidateEmailError' },
  notApproved: { status: 403, error: 'ManualValidateEmailError' },
  incomplete: { status: 400, error: 'AuthenticationError' },
  stale: { status: 401, error: 'AuthenticationError' },
  tooMany: { status: 429, error: 'TooManyRequests' },
  busy: { status: 503, error: 'ServiceUnavailable' },
}

/** POST /oidc/interaction/:uid/login — checks e-mail address and password and goes on with the authorization. */
export const submitPassword = (needs: SignInNeeds) =>
  interactionForm(needs, (context, form) => submit(needs, context, form), formOrigins(needs))

async function submit(
  needs: SignInNeeds,
  { request, response, open }: InteractionContext,
  form: URLSearchParams,
): Promise<void> {
  if (!needs.signIn.withPassword) throw new Failure('ForbiddenError', textsOf(open.language).passwordsOff)
  const typed = { email: normalizeEmail(form.get('login') ?? ''), remember: form.get('remember') === 'true' }
  const { uid } = open.interaction

  const { clientIp: ip, correlationId } = requestState(request)
  const deviceId = needs.devices.idOf(request.headers.cookie, typed.email)
  const tried = { email: typed.email, ip, deviceId }
  const attempt = await signIn(needs, uid, tried, form.get('password') ?? '', correlationId)

  if ('problem' in attempt) {
    if (attempt.tooMany !== undefined) showLimit(response, attempt.tooMany)
    const elsewhere = await elsewhereOf(needs, open, typed.email, attempt.problem)
    if (elsewhere !== undefined) return sendPage(response, 200, elsewhere)
    return refuse(needs, response, open, typed, attempt.problem)
  }
  await afterPassword(needs)(request, response, open, attempt.user, typed.remember)
}

/** Accounts of some domains sign in at another provider; those that have a password here as well may still use it. */
const elsewhereOf = async (
  { offers }: SignInNeeds,
  { interaction, language }: OpenInteraction,
  email: string,
  { kind }: SignInProblem,
): Promise<Page | undefined> =>
  kind === 'wrong' || kind === 'incomplete' ? offers.elsewhere(interaction.uid, email, language) : undefined

async function refuse(
  needs: SignInNeeds,
  response: ServerResponse,
  open: OpenInteraction,
  typed: TypedCredentials,
  problem: SignInProblem,
): Promise<void> {
  const { status, error } = refusals[problem.kind]
  const ownForm = consoleForm(needs, open.interaction, error)
  if (ownForm !== undefined) return redirect(response, ownForm, 302)
  if ('seconds' in problem) response.setHeader('retry-after', String(problem.seconds))
  sendPage(response, status, await passwordPageOf(needs, open, typed, problem))
}

type Attempt = { user: UserRecord } | { problem: SignInProblem; tooMany?: LimitState }

async function signIn(
  needs: SignInNeeds,
  uid: string,
  tried: Tried,
  password: string,
  correlationId: string,
): Promise<Attempt> {
  const { email, ip } = tried
  const { limits, passwords, signInLog } = needs
  if (email === '' || password === '') return { problem: { kind: 'incomplete' } }
  const tooMany = await limits.count(tried)
  if (tooMany !== undefined) return { problem: { kind: 'tooMany', seconds: tooMany.resetSeconds }, tooMany }

  const check = await passwords.check(email, password).catch(whenBusy)
  if (check.outcome === 'busy') return { problem: { kind: 'busy' } }
  if (check.outcome === 'matches') {
    await limits.forget(tried)
    return { user: check.user }
  }

  // Whoever types a password into the wrong field must not find it in a log.
  const told = isEmail(email) ? email : undefined
  await signInLog.failed({ provider: LOCAL_PROVIDER, email: told, ip, correlationId })
  return { problem: check.outcome === 'unvalidated' ? unvalidated(needs, uid) : { kind: check.outcome } }
}

const unvalidated = ({ offers }: SignInNeeds, uid: string): SignInProblem =>
  offers.validatedBy === 'mail'
    ? { kind: 'notConfirmed', url: offers.validationUrl(uid) }
    : { kind: 'notApproved' }

/** Too many hashes wait: a page that says so beats a bare 503. */
function whenBusy(error: unknown): { outcome: 'busy' } {
  if (error instanceof Failure && error.name === 'ServiceUnavailable') return { outcome: 'busy' }
  throw error
}
