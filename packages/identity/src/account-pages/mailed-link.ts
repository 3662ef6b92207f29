import { loginHintOf, stepUrl } from '../oidc/interactions.ts'
import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { type MailedLink, mailLinkPage } from '../pages/mail-link-page.ts'
import { noticePage } from '../pages/notice-page.ts'
import type { Page } from '../pages/page.ts'
import { sendPage } from '../pages/page.ts'
import { accountUrl, interactionNamed, signInUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageContext } from './account-pages.ts'
import { requestContextOf } from './account-pages.ts'
import { problemOf, sendProblem, takeLimit } from './form-problem.ts'
import { emailProblem, problemOfFields, typedEmail } from './typed-fields.ts'

/** Shows the form that asks which address to write to. */
export function showLinkForm(
  needs: AccountPagesNeeds,
  context: PageContext,
  link: MailedLink,
  query: URLSearchParams,
): void {
  const email = context.open === undefined ? '' : loginHintOf(context.open.interaction)
  const form = { email, interaction: interactionNamed(query.get('interaction')) }
  sendPage(context.response, 200, formOf(needs, context, link, form))
}

/**
 * Mails a link to the address of the form. Says the same to everybody: who has an account here is nobody's business.
 */
export async function submitLinkForm(
  needs: AccountPagesNeeds,
  context: PageContext,
  link: MailedLink,
  form: URLSearchParams,
): Promise<void> {
  const typed = { email: typedEmail(form), interaction: interactionNamed(form.get('interaction')) }

  const problem = await mailLink(needs, context, link, typed).catch(problemOf)

  const { response } = context
  if (problem !== undefined) sendProblem(response, problem, formOf(needs, context, link, typed, problem))
  else sendPage(response, 200, sentPage(needs, context, link, typed))
}

interface Typed {
  email: string
  interaction: string | undefined
}

async function mailLink(
  { accounts, rateLimiter }: AccountPagesNeeds,
  context: PageContext,
  link: MailedLink,
  { email, interaction }: Typed,
): Promise<FormProblem | undefined> {
  const wrong = problemOfFields({ email: emailProblem(email) })
  if (wrong !== undefined) return wrong
  const limit = link === 'password' ? 'passwordReset' : 'validationMail'
  const tooMany = await takeLimit(rateLimiter, limit, context)
  if (tooMany !== undefined) return tooMany
  const asked = requestContextOf(context, interaction)
  await (link === 'password'
    ? accounts.requestPasswordReset(email, asked)
    : accounts.requestValidation(email, asked))
  return undefined
}

const formOf = (
  { settings }: AccountPagesNeeds,
  context: PageContext,
  link: MailedLink,
  { email, interaction }: Typed,
  problem?: FormProblem,
): Page =>
  mailLinkPage({
    language: context.language,
    link,
    action: actionOf(settings, context, link),
    signInUrl: backUrl(settings, context, interaction),
    email,
    interaction,
    problem,
  })

function sentPage(
  { settings }: AccountPagesNeeds,
  context: PageContext,
  link: MailedLink,
  typed: Typed,
): Page {
  const texts = accountTextsOf(context.language)
  const text = link === 'password' ? texts.linkSent(typed.email) : texts.validationMailed(typed.email)
  const again = {
    text: texts.notThere,
    button: texts.sendAgain,
    action: actionOf(settings, context, link),
    values: { ...typed },
  }
  return noticePage({ language: context.language, title: texts.checkMail, text, again })
}

/** A form of a sign-in stays there; the others have a page of their own. */
function actionOf(settings: AccountPagesNeeds['settings'], { open }: PageContext, link: MailedLink): string {
  if (link === 'validation') return accountUrl(settings, 'validate')
  return open === undefined
    ? accountUrl(settings, 'password')
    : stepUrl(settings, open.interaction.uid, 'forgot')
}

const backUrl = (
  settings: AccountPagesNeeds['settings'],
  { open }: PageContext,
  interaction?: string,
): string => (open === undefined ? signInUrl(settings, interaction) : stepUrl(settings, open.interaction.uid))
