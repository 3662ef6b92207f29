import type { ServerResponse } from 'node:http'
import { type LimitState, requestState, showLimit } from '@platform/http'
import type { CodeProblem } from '../pages/code-page.ts'
import type { Page } from '../pages/page.ts'
import { redirect, sendPage } from '../pages/page.ts'
import { type InteractionContext, interactionForm } from './interaction-page.ts'
import { stepUrl } from './interactions.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { stepOf, type Waiting } from './sign-in-step.ts'
import { codePageOf, enrolPageOf } from './step-pages.ts'
import { AMR, recoveryCodesContext, replacing, toFinish, toWait } from './waiting-sign-in.ts'

type Needs = Pick<SignInNeeds, 'provider' | 'settings' | 'users' | 'secondFactors' | 'masterKeys' | 'clock'>

const statusOf: Record<CodeProblem['kind'], number> = { wrong: 401, missing: 400, tooMany: 429 }

/** A form of a sign-in, as it came. */
type Submission = InteractionContext & { form: URLSearchParams }

/**
 * POST /oidc/interaction/:uid/code — the code after the password; or the first code of an authenticator, which sets
 * it up.
 */
export const submitCode = (needs: Needs) =>
  interactionForm(needs, async (context, form) => {
    const { response, open } = context
    const due = await stepOf(needs, open.interaction)
    if (due.step === 'code') return checkCode(needs, { ...context, form }, due)
    if (due.step === 'enrol') return confirmEnrolment(needs, { ...context, form }, due)
    redirect(response, stepUrl(needs.settings, open.interaction.uid))
  })

async function checkCode(needs: Needs, submission: Submission, { user, waiting }: Waiting): Promise<void> {
  const { request, response, open, form } = submission
  const kind = form.get('kind') === 'recovery' ? 'recovery' : 'authenticator'

  const check = await attempt(submission, (code, context) => needs.secondFactors.check(user, code, context))

  if (check !== 'right') {
    const page = codePageOf(needs, open, { user, kind, problem: problemOf(check) })
    return sendProblem(response, check, page)
  }
  const login = toFinish(waiting, AMR.passwordAndCode)
  await needs.provider().interactionFinished(request, response, login, replacing)
}

/** Keeps the recovery codes with the interaction until their page says that they were read. */
async function confirmEnrolment(
  needs: Needs,
  submission: Submission,
  { user, waiting }: Waiting,
): Promise<void> {
  const { request, response, open } = submission

  const done = await attempt(submission, (code, context) => needs.secondFactors.confirm(user, code, context))

  if (typeof done === 'string' || 'tooMany' in done) {
    const page = await enrolPageOf(needs, open, { user, problem: problemOf(done) })
    return sendProblem(response, done, page)
  }
  const { uid } = open.interaction
  const recoveryCodes = needs.masterKeys.seal(done.recoveryCodes.join(' '), recoveryCodesContext(uid))
  const result = toWait({ ...waiting, recoveryCodes })
  await needs.provider().interactionResult(request, response, result, replacing)
  redirect(response, stepUrl(needs.settings, uid))
}

async function attempt<T>(
  { request, form }: Submission,
  check: (code: string, context: { ip: string; correlationId: string }) => Promise<T>,
): Promise<T | 'missing'> {
  const code = (form.get('code') ?? '').trim()
  const { clientIp: ip, correlationId } = requestState(request)
  return code === '' ? 'missing' : check(code, { ip, correlationId })
}

type Refused = 'wrong' | 'missing' | { tooMany: LimitState }

const problemOf = (check: Refused): CodeProblem =>
  typeof check === 'string' ? { kind: check } : { kind: 'tooMany', seconds: check.tooMany.resetSeconds }

/** As with a refused password, the form comes again with a status that scripts understand. */
function sendProblem(response: ServerResponse, refused: Refused, page: Page): void {
  if (typeof refused === 'object') {
    showLimit(response, refused.tooMany)
    response.setHeader('retry-after', String(refused.tooMany.resetSeconds))
  }
  sendPage(response, statusOf[problemOf(refused).kind], page)
}
