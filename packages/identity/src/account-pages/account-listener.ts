import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestState } from '@platform/http'
import { Failure } from '@platform/kernel'
import { requireMethod } from '../oidc/oidc-addresses.ts'
import { sendErrorPage } from '../oidc/send-error-page.ts'
import { accountTextsOf } from '../pages/account-texts.ts'
import { languageOf } from '../pages/language.ts'
import { ACCOUNT_PATH } from './account-addresses.ts'
import type { AccountPagesNeeds, PageContext } from './account-pages.ts'
import { showDeletion, submitDeletion } from './deletion.ts'
import { showNewPassword, submitNewPassword } from './new-password.ts'
import { showValidation, submitValidation } from './validation.ts'

type PageListener = (context: PageContext, query: URLSearchParams) => Promise<void>

/** Everything under /account: the pages mailed links lead to. They need no sign-in under way and no cookie. */
export function accountListener(
  needs: AccountPagesNeeds,
): (request: IncomingMessage, response: ServerResponse) => void {
  const pages = new Map<string, { GET: PageListener; POST: PageListener }>([
    ['/password', { GET: showNewPassword(needs), POST: submitNewPassword(needs) }],
    ['/validate', { GET: showValidation(needs), POST: submitValidation(needs) }],
    ['/deletion', { GET: showDeletion(needs), POST: submitDeletion(needs) }],
  ])
  return (request, response) => {
    answer(pages, request, response).catch((error: unknown) => {
      sendErrorPage(request, response, error, needs.settings)
    })
  }
}

async function answer(
  pages: ReadonlyMap<string, { GET: PageListener; POST: PageListener }>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const language = languageOf(undefined, request.headers['accept-language'])
  const [asked = '', search = ''] = (request.url ?? '').split('?', 2)
  const path = asked.replace(/\/$/, '')
  const page = pages.get(path)
  if (page === undefined) throw new Failure('ObjectNotFoundError', accountTextsOf(language).noPage)
  requestState(request).route = `${ACCOUNT_PATH}${path}`
  requireMethod(request.method ?? '', ['GET', 'HEAD', 'POST'], response)
  const listener = request.method === 'POST' ? page.POST : page.GET
  await listener({ request, response, language, open: undefined }, new URLSearchParams(search))
}
