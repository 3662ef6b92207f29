import { Failure } from '@platform/kernel'
import { formTargetsOf, loginHintOf, type OpenInteraction, stepUrl } from '../oidc/interactions.ts'
import { clientNameOf } from '../oidc/password-page.ts'
import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { noticePage } from '../pages/notice-page.ts'
import type { Page } from '../pages/page.ts'
import { sendPage } from '../pages/page.ts'
import { signUpPage } from '../pages/sign-up-page.ts'
import { accountUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageContext } from './account-pages.ts'
import { requestContextOf } from './account-pages.ts'
import { problemOf, sendProblem, takeLimit } from './form-problem.ts'
import { readAccountForm } from './read-account-form.ts'
import { signUpProblem, type TypedSignUp, typedSignUp } from './typed-fields.ts'

/** A page that only a sign-in under way leads to. */
type SignUpContext = PageContext & { open: OpenInteraction }

const nothingTyped: TypedSignUp = { email: '', firstName: '', lastName: '', password: '' }

/** GET /oidc/interaction/:uid/signup — the form of a new account. */
export const showSignUp =
  (needs: AccountPagesNeeds) =>
  async (context: SignUpContext): Promise<void> => {
    requireSignUpAllowed(needs, context)
    const typed = { ...nothingTyped, email: loginHintOf(context.open.interaction) }
    sendPage(context.response, 200, await formOf(needs, context, typed))
  }

/** POST /oidc/interaction/:uid/signup — makes the account and signs in, or tells what has to happen before. */
export const submitSignUp =
  (needs: AccountPagesNeeds) =>
  async (context: SignUpContext): Promise<void> => {
    requireSignUpAllowed(needs, context)
    const { request, response, language, open } = context
    const typed = typedSignUp(await readAccountForm(context, needs.settings))

    const done = await signUp(needs, context, typed).catch((error: unknown) => ({
      problem: problemOf(error),
    }))

    if ('problem' in done) {
      sendProblem(response, done.problem, await formOf(needs, context, typed, done.problem))
      return
    }
    if (done.next === 'usable') return needs.finishSignUp(request, response, open, done.user)
    const { uid } = open.interaction
    const page = done.next === 'mailed' ? mailedPage(needs, context, typed.email, uid) : waitingPage(language)
    sendPage(response, 200, page)
  }

async function signUp(needs: AccountPagesNeeds, context: SignUpContext, typed: TypedSignUp) {
  const problem = signUpProblem(typed) ?? (await takeLimit(needs.rateLimiter, 'signUp', context))
  if (problem !== undefined) return { problem }
  return needs.accounts.signUp({ ...typed, language: context.language }, requestContextOf(context))
}

async function formOf(
  needs: AccountPagesNeeds,
  { language, open: { interaction } }: SignUpContext,
  typed: TypedSignUp,
  problem?: FormProblem,
): Promise<Page> {
  const { settings } = needs
  return signUpPage({
    language,
    action: stepUrl(settings, interaction.uid, 'signup'),
    formTargets: formTargetsOf(interaction),
    signInUrl: stepUrl(settings, interaction.uid),
    host: new URL(settings.origin).host,
    client: await clientNameOf(needs, interaction),
    typed,
    problem,
  })
}

function mailedPage(
  { settings }: AccountPagesNeeds,
  { language }: PageContext,
  email: string,
  interaction: string,
): Page {
  const texts = accountTextsOf(language)
  const again = {
    text: texts.notThere,
    button: texts.sendAgain,
    action: accountUrl(settings, 'validate'),
    values: { email, interaction },
  }
  return noticePage({ language, title: texts.checkMail, text: texts.signUpMailed(email), again })
}

function waitingPage(language: PageContext['language']): Page {
  const { waitsForApproval, waitsForApprovalText } = accountTextsOf(language)
  return noticePage({ language, title: waitsForApproval, text: waitsForApprovalText })
}

function requireSignUpAllowed({ accountSettings }: AccountPagesNeeds, { language }: PageContext): void {
  if (!accountSettings.localSignUp) throw new Failure('ForbiddenError', accountTextsOf(language).noSignUp)
}
