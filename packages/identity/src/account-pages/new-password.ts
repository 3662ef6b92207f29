import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { newPasswordPage } from '../pages/new-password-page.ts'
import { noticePage } from '../pages/notice-page.ts'
import { sendPage } from '../pages/send-page.ts'
import { accountUrl, signInUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageVisit } from './account-pages.ts'
import { linkProblemOf, sendProblem } from './form-problem.ts'
import { showLinkForm, submitLinkForm } from './mailed-link.ts'
import { sendBadLink, tokenOf, withoutReferrer } from './mailed-token.ts'
import { readAccountForm } from './read-account-form.ts'
import { passwordProblem, problemOfFields } from './typed-fields.ts'
import { visitOf } from './visit-of.ts'

/**
 * GET /account/password — with the token of a mailed link: asks for a new password. Without: asks where to send such
 * a link.
 */
export const showNewPassword =
  (needs: AccountPagesNeeds) =>
  async (visit: PageVisit, query: URLSearchParams): Promise<void> => {
    if (!query.has('token')) return showLinkForm(needs, visit, 'password', query)
    const token = tokenOf(query)
    if (token === undefined || !(await needs.accounts.isResetTokenGood(token)))
      return sendBadLink(visit, accountUrl(needs.settings, 'password'))
    sendPage(visit.response, 200, formOf(needs, visit, token))
  }

/** POST /account/password — with a token: sets the password. With an address: mails a link. */
export const submitNewPassword =
  (needs: AccountPagesNeeds) =>
  async (visit: PageVisit): Promise<void> => {
    const form = await readAccountForm(visit, needs.settings)
    if (!form.has('token')) return submitLinkForm(needs, visit, 'password', form)
    const token = tokenOf(form)
    if (token === undefined) return sendBadLink(visit, accountUrl(needs.settings, 'password'))

    const done = await setPassword(needs, visit, token, form.get('password') ?? '').catch(linkProblemOf)

    if (done === 'badLink') return sendBadLink(visit, accountUrl(needs.settings, 'password'))
    if ('problem' in done)
      return sendProblem(visit.response, done.problem, formOf(needs, visit, token, done.problem))
    const { passwordSet: title, passwordSetText: text, signIn } = accountTextsOf(visit.language)
    const next = { text: signIn, url: signInUrl(needs.settings, done.interaction) }
    sendPage(visit.response, 200, noticePage({ language: visit.language, title, text, next }))
  }

async function setPassword(
  { accounts }: AccountPagesNeeds,
  visit: PageVisit,
  token: string,
  password: string,
) {
  const problem = problemOfFields({ password: passwordProblem(password) })
  if (problem !== undefined) return { problem }
  return accounts.resetPassword(token, password, visitOf(visit))
}

const formOf = (
  { settings }: AccountPagesNeeds,
  { language }: PageVisit,
  token: string,
  problem?: FormProblem,
) => withoutReferrer(newPasswordPage({ language, action: accountUrl(settings, 'password'), token, problem }))
