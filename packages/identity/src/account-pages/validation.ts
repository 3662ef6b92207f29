import type { Accounts } from '../accounts/accounts.ts'
import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { noticePage } from '../pages/notice-page.ts'
import { sendPage } from '../pages/page.ts'
import { questionPage } from '../pages/question-page.ts'
import { accountUrl, signInUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageContext } from './account-pages.ts'
import { requestContextOf } from './account-pages.ts'
import { linkProblemOf, sendProblem } from './form-problem.ts'
import { showLinkForm, submitLinkForm } from './mailed-link.ts'
import { sendBadLink, tokenOf, withoutReferrer } from './mailed-token.ts'
import { readAccountForm } from './read-account-form.ts'

/**
 * GET /account/validate — with the token of a mailed link: a button that confirms the address, for programs that look
 * into mail open links too. Without: asks where to send such a link again.
 */
export const showValidation =
  (needs: AccountPagesNeeds) =>
  async (context: PageContext, query: URLSearchParams): Promise<void> => {
    if (!query.has('token')) return showLinkForm(needs, context, 'validation', query)
    const token = tokenOf(query)
    if (token === undefined) return sendBadLink(context, accountUrl(needs.settings, 'validate'))
    sendPage(context.response, 200, askPage(needs, context, token))
  }

/** POST /account/validate — with a token: confirms the address. With an address: mails the link again. */
export const submitValidation =
  (needs: AccountPagesNeeds) =>
  async (context: PageContext): Promise<void> => {
    const form = await readAccountForm(context, needs.settings)
    if (!form.has('token')) return submitLinkForm(needs, context, 'validation', form)
    const token = tokenOf(form)
    if (token === undefined) return sendBadLink(context, accountUrl(needs.settings, 'validate'))

    const done = await needs.accounts.validate(token, requestContextOf(context)).catch(linkProblemOf)

    if (done === 'badLink') return sendBadLink(context, accountUrl(needs.settings, 'validate'))
    if ('problem' in done)
      return sendProblem(context.response, done.problem, askPage(needs, context, token, done.problem))
    sendPage(context.response, 200, confirmedPage(needs, context, done))
  }

/** Where an administrator decides, an answered mail alone lets nobody in. */
function confirmedPage(
  { settings }: AccountPagesNeeds,
  { language }: PageContext,
  { user, interaction }: Awaited<ReturnType<Accounts['validate']>>,
) {
  const { confirmed: title, confirmedText, waitsForApprovalText, signIn } = accountTextsOf(language)
  if (user.status === 'pending') return noticePage({ language, title, text: waitsForApprovalText })
  const next = { text: signIn, url: signInUrl(settings, interaction) }
  return noticePage({ language, title, text: confirmedText, next })
}

function askPage(
  { settings }: AccountPagesNeeds,
  { language }: PageContext,
  token: string,
  problem?: FormProblem,
) {
  const { confirmAddress: title, confirmAddressText: text, confirm: button } = accountTextsOf(language)
  const action = accountUrl(settings, 'validate')
  return withoutReferrer(questionPage({ language, title, text, button, action, token, problem }))
}
