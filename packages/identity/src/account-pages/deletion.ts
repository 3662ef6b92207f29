import type { FormProblem } from '../pages/account-form.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { noticePage } from '../pages/notice-page.ts'
import { sendPage } from '../pages/page.ts'
import { questionPage } from '../pages/question-page.ts'
import { forgetAccessTokenCookie } from '../sessions/access-token-cookie.ts'
import { accountUrl } from './account-addresses.ts'
import type { AccountPagesNeeds, PageContext } from './account-pages.ts'
import { requestContextOf } from './account-pages.ts'
import { linkProblemOf, sendProblem } from './form-problem.ts'
import { sendBadLink, tokenOf, withoutReferrer } from './mailed-token.ts'
import { readAccountForm } from './read-account-form.ts'

/** GET /account/deletion — names the account and asks before it is deleted. */
export const showDeletion =
  (needs: AccountPagesNeeds) =>
  async (context: PageContext, query: URLSearchParams): Promise<void> => {
    const link = await openLink(needs, tokenOf(query))
    if (link === undefined) return sendBadLink(context)
    sendPage(context.response, 200, askPage(needs, context, link))
  }

/** POST /account/deletion — deletes the account the link was mailed to. */
export const submitDeletion =
  (needs: AccountPagesNeeds) =>
  async (context: PageContext): Promise<void> => {
    const link = await openLink(needs, tokenOf(await readAccountForm(context, needs.settings)))
    if (link === undefined) return sendBadLink(context)

    const done = await needs.accounts
      .deleteByToken(link.token, requestContextOf(context))
      .catch(linkProblemOf)

    if (done === 'badLink') return sendBadLink(context)
    if (done !== undefined)
      return sendProblem(context.response, done.problem, askPage(needs, context, link, done.problem))
    const { deleted: title, deletedText: text } = accountTextsOf(context.language)
    context.response.setHeader('set-cookie', forgetAccessTokenCookie(needs.settings.cookies))
    sendPage(context.response, 200, noticePage({ language: context.language, title, text }))
  }

interface Link {
  token: string
  email: string
}

async function openLink(
  { accounts }: AccountPagesNeeds,
  token: string | undefined,
): Promise<Link | undefined> {
  const email = token === undefined ? undefined : await accounts.emailOfDeletionToken(token)
  return token === undefined || email === undefined ? undefined : { token, email }
}

function askPage(
  { settings }: AccountPagesNeeds,
  { language }: PageContext,
  { token, email }: Link,
  problem?: FormProblem,
) {
  const texts = accountTextsOf(language)
  const page = questionPage({
    language,
    title: texts.deleteTitle,
    text: texts.deleteText(email),
    action: accountUrl(settings, 'deletion'),
    token,
    button: texts.deleteAccount,
    danger: true,
    instead: { text: texts.keepAccount, url: `${settings.origin}/signin` },
    problem,
  })
  return withoutReferrer(page)
}
