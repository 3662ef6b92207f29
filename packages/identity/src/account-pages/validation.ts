import type { Accounts } from '../accounts/accounts.ts'
import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { noticePage } from '../pages/notice-page.ts'
import { questionPage } from '../pages/question-page.ts'
import { sendPage } from '../pages/send-page.ts'
import { accountUrl, signInUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageVisit } from './account-pages.ts'
import { linkProblemOf, sendProblem } from './form-problem.ts'
import { showLinkForm, submitLinkForm } from './mailed-link.ts'
import { sendBadLink, tokenOf, withoutReferrer } from './mailed-token.ts'
import { readAccountForm } from './read-account-form.ts'
import { visitOf } from './visit-of.ts'

/**
 * GET /account/validate — with the token of a mailed link: a button that confirms the address, for programs that look
 * into mail open links too. Without: asks where to send such a link again.
 */
export const showValidation =
  (needs: AccountPagesNeeds) =>
  async (visit: PageVisit, query: URLSearchParams): Promise<void> => {
    if (!query.has('token')) return showLinkForm(needs, visit, 'validation', query)
    const token = tokenOf(query)
    if (token === undefined) return sendBadLink(visit, accountUrl(needs.settings, 'validate'))
    sendPage(visit.response, 200, askPage(needs, visit, token))
  }

/** POST /account/validate — with a token: confirms the address. With an address: mails the link again. */
export const submitValidation =
  (needs: AccountPagesNeeds) =>
  async (visit: PageVisit): Promise<void> => {
    const form = await readAccountForm(visit, needs.settings)
    if (!form.has('token')) return submitLinkForm(needs, visit, 'validation', form)
    const token = tokenOf(form)
    if (token === undefined) return sendBadLink(visit, accountUrl(needs.settings, 'validate'))

    const done = await needs.accounts.validate(token, visitOf(visit)).catch(linkProblemOf)

    if (done === 'badLink') return sendBadLink(visit, accountUrl(needs.settings, 'validate'))
    if ('problem' in done)
      return sendProblem(visit.response, done.problem, askPage(needs, visit, token, done.problem))
    sendPage(visit.response, 200, confirmedPage(needs, visit, done))
  }

/** Where an administrator decides, an answered mail alone lets nobody in. */
function confirmedPage(
  { settings }: AccountPagesNeeds,
  { language }: PageVisit,
  { user, interaction }: Awaited<ReturnType<Accounts['validate']>>,
) {
  const { confirmed: title, confirmedText, waitsForApprovalText, signIn } = accountTextsOf(language)
  if (user.status === 'pending') return noticePage({ language, title, text: waitsForApprovalText })
  const next = { text: signIn, url: signInUrl(settings, interaction) }
  return noticePage({ language, title, text: confirmedText, next })
}

function askPage(
  { settings }: AccountPagesNeeds,
  { language }: PageVisit,
  token: string,
  problem?: FormProblem,
) {
  const { confirmAddress: title, confirmAddressText: text, confirm: button } = accountTextsOf(language)
  const action = accountUrl(settings, 'validate')
  return withoutReferrer(questionPage({ language, title, text, button, action, token, problem }))
}
