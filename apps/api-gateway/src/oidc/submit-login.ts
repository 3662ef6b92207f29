import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestState } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Provider } from 'oidc-provider'
import type { AttemptLimits } from '../sign-in/attempt-limits.ts'
import type { SignInProblem } from '../sign-in/pages/sign-in-page.ts'
import { readForm } from '../sign-in/read-form.ts'
import { isSameOrigin } from '../sign-in/same-origin.ts'
import { sendPage } from '../sign-in/send-page.ts'
import type { Passwords } from '../users/passwords.ts'
import { normalizeEmail, type UserRecord } from '../users/user.ts'
import { formPage, openInteraction, sendErrorPage, sentByAnotherSite } from './interactions.ts'
import type { OidcSettings } from './oidc-settings.ts'

interface Needs {
  provider: () => Provider
  settings: OidcSettings
  passwords: Pick<Passwords, 'check'>
  limits: AttemptLimits
}

/**
 * A refused sign-in is 401, not 200: password managers then don't offer to keep the password, and scripts see the failure. The page
 * is the form again, with the reason.
 */
const statusOf: Record<SignInProblem['kind'], number> = {
  wrong: 401,
  deactivated: 403,
  incomplete: 400,
  tooMany: 429,
  busy: 503,
  unavailable: 503,
}

/** POST /oidc/interaction/:uid/login — checks the form and goes on with the authorization. */
export const submitLogin =
  (needs: Needs) =>
  async (request: IncomingMessage, response: ServerResponse, uid: string): Promise<void> => {
    try {
      await submit(needs, request, response, uid)
    } catch (error) {
      sendErrorPage(request, response, error, needs.settings)
    }
  }

async function submit(
  needs: Needs,
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
): Promise<void> {
  const { settings } = needs
  const provider = needs.provider()
  const open = await openInteraction(provider, request, response, uid)
  if (!isSameOrigin(request.headers, [settings.origin])) throw sentByAnotherSite(open.language)
  const form = await readForm(request)
  const typed = { email: normalizeEmail(form.get('login') ?? ''), remember: form.get('remember') === 'true' }

  const attempt = await signIn(needs, typed.email, form.get('password') ?? '', requestState(request).clientIp)

  if ('problem' in attempt) {
    const { problem } = attempt
    if ('seconds' in problem) response.setHeader('retry-after', String(problem.seconds))
    sendPage(response, statusOf[problem.kind], await formPage({ provider, settings }, open, typed, problem))
    return
  }
  const login = { accountId: attempt.user.id, remember: typed.remember, amr: ['pwd'] }
  await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false })
}

type Attempt = { user: UserRecord } | { problem: SignInProblem }

async function signIn(
  { limits, passwords }: Needs,
  email: string,
  password: string,
  ip: string,
): Promise<Attempt> {
  if (email === '' || password === '') return { problem: { kind: 'incomplete' } }
  const seconds = await limits.count(email, ip)
  if (seconds !== undefined) return { problem: { kind: 'tooMany', seconds } }

  const check = await passwords.check(email, password).catch(whenBusy)
  if (check.outcome !== 'matches') return { problem: { kind: check.outcome } }

  await limits.forget(email)
  return { user: check.user }
}

/** Too many hashes wait: a page that says so beats a bare 503. */
function whenBusy(error: unknown): { outcome: 'busy' } {
  if (error instanceof Failure && error.name === 'ServiceUnavailable') return { outcome: 'busy' }
  throw error
}
