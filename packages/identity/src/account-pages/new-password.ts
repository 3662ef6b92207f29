import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { newPasswordPage } from '../pages/new-password-page.ts'
import { noticePage } from '../pages/notice-page.ts'
import { sendPage } from '../pages/page.ts'
import { accountUrl, signInUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageContext } from './account-pages.ts'
import { requestContextOf } from './account-pages.ts'
import { linkProblemOf, sendProblem } from './form-problem.ts'
import { showLinkForm, submitLinkForm } from './mailed-link.ts'
import { sendBadLink, tokenOf, withoutReferrer } from './mailed-token.ts'
import { readAccountForm } from './read-account-form.ts'
import { passwordProblem, problemOfFields } from './typed-fields.ts'

/**
 * GET /account/password — with the token of a mailed link: asks for a new password. Without: asks where to send such
 * a link.
 */
export const showNewPassword =
  (needs: AccountPagesNeeds) =>
  async (context: PageContext, query: URLSearchParams): Promise<void> => {
    if (!query.has('token')) return showLinkForm(needs, context, 'password', query)
    const token = tokenOf(query)
    if (token === undefined || !(await needs.accounts.isResetTokenGood(token)))
      return sendBadLink(context, accountUrl(needs.settings, 'password'))
    sendPage(context.response, 200, formOf(needs, context, token))
  }

/** POST /account/password — with a token: sets the password. With an address: mails a link. */
export const submitNewPassword =
  (needs: AccountPagesNeeds) =>
  async (context: PageContext): Promise<void> => {
    const form = await readAccountForm(context, needs.settings)
    if (!form.has('token')) return submitLinkForm(needs, context, 'password', form)
    const token = tokenOf(form)
    if (token === undefined) return sendBadLink(context, accountUrl(needs.settings, 'password'))

    const done = await setPassword(needs, context, token, form.get('password') ?? '').catch(linkProblemOf)

    if (done === 'badLink') return sendBadLink(context, accountUrl(needs.settings, 'password'))
    if ('problem' in done)
      return sendProblem(context.response, done.problem, formOf(needs, context, token, done.problem))
    const { passwordSet: title, passwordSetText: text, signIn } = accountTextsOf(context.language)
    const next = { text: signIn, url: signInUrl(needs.settings, done.interaction) }
    sendPage(context.response, 200, noticePage({ language: context.language, title, text, next }))
  }

async function setPassword(
  { accounts }: AccountPagesNeeds,
  context: PageContext,
  token: string,
  password: string,
) {
  const problem = problemOfFields({ password: passwordProblem(password) })
  if (problem !== undefined) return { problem }
  return accounts.resetPassword(token, password, requestContextOf(context))
}

const formOf = (
  { settings }: AccountPagesNeeds,
  { language }: PageContext,
  token: string,
  problem?: FormProblem,
) => withoutReferrer(newPasswordPage({ language, action: accountUrl(settings, 'password'), token, problem }))
