import { loginHintOf, stepUrl } from '../oidc/interactions.ts'
import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { type MailedLink, mailLinkPage } from '../pages/mail-link-page.ts'
import { noticePage } from '../pages/notice-page.ts'
import type { Page } from '../pages/page.ts'
import { sendPage } from '../pages/send-page.ts'
import { accountUrl, interactionNamed, signInUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageVisit } from './account-pages.ts'
import { problemOf, sendProblem } from './form-problem.ts'
import { takeLimit } from './take-limit.ts'
import { emailProblem, problemOfFields, typedEmail } from './typed-fields.ts'
import { visitOf } from './visit-of.ts'

/** Shows the form that asks which address to write to. */
export function showLinkForm(
  needs: AccountPagesNeeds,
  visit: PageVisit,
  link: MailedLink,
  query: URLSearchParams,
): void {
  const email = visit.open === undefined ? '' : loginHintOf(visit.open.interaction)
  const form = { email, interaction: interactionNamed(query.get('interaction')) }
  sendPage(visit.response, 200, formOf(needs, visit, link, form))
}

/**
 * Mails a link to the address of the form. Says the same to everybody: who has an account here is nobody's business.
 */
export async function submitLinkForm(
  needs: AccountPagesNeeds,
  visit: PageVisit,
  link: MailedLink,
  form: URLSearchParams,
): Promise<void> {
  const typed = { email: typedEmail(form), interaction: interactionNamed(form.get('interaction')) }

  const problem = await mailLink(needs, visit, link, typed).catch(problemOf)

  const { response } = visit
  if (problem !== undefined) sendProblem(response, problem, formOf(needs, visit, link, typed, problem))
  else sendPage(response, 200, sentPage(needs, visit, link, typed))
}

interface Typed {
  email: string
  interaction: string | undefined
}

async function mailLink(
  { accounts, rateLimiter }: AccountPagesNeeds,
  visit: PageVisit,
  link: MailedLink,
  { email, interaction }: Typed,
): Promise<FormProblem | undefined> {
  const wrong = problemOfFields({ email: emailProblem(email) })
  if (wrong !== undefined) return wrong
  const limit = link === 'password' ? 'passwordReset' : 'validationMail'
  const tooMany = await takeLimit(rateLimiter, limit, visit)
  if (tooMany !== undefined) return tooMany
  const asVisit = visitOf(visit, interaction)
  await (link === 'password'
    ? accounts.requestPasswordReset(email, asVisit)
    : accounts.requestValidation(email, asVisit))
  return undefined
}

const formOf = (
  { settings }: AccountPagesNeeds,
  visit: PageVisit,
  link: MailedLink,
  { email, interaction }: Typed,
  problem?: FormProblem,
): Page =>
  mailLinkPage({
    language: visit.language,
    link,
    action: actionOf(settings, visit, link),
    signInUrl: backUrl(settings, visit, interaction),
    email,
    interaction,
    problem,
  })

function sentPage({ settings }: AccountPagesNeeds, visit: PageVisit, link: MailedLink, typed: Typed): Page {
  const texts = accountTextsOf(visit.language)
  const text = link === 'password' ? texts.linkSent(typed.email) : texts.validationMailed(typed.email)
  const again = {
    text: texts.notThere,
    button: texts.sendAgain,
    action: actionOf(settings, visit, link),
    values: { ...typed },
  }
  return noticePage({ language: visit.language, title: texts.checkMail, text, again })
}

/** A form of a sign-in stays there; the others have a page of their own. */
function actionOf(settings: AccountPagesNeeds['settings'], { open }: PageVisit, link: MailedLink): string {
  if (link === 'validation') return accountUrl(settings, 'validate')
  return open === undefined
    ? accountUrl(settings, 'password')
    : stepUrl(settings, open.interaction.uid, 'forgot')
}

const backUrl = (
  settings: AccountPagesNeeds['settings'],
  { open }: PageVisit,
  interaction?: string,
): string => (open === undefined ? signInUrl(settings, interaction) : stepUrl(settings, open.interaction.uid))
