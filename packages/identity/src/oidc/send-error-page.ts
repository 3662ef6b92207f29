import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestState, toFailure } from '@platform/http'
import { errorPage } from '../pages/error-page.ts'
import { languageOf } from '../pages/language.ts'
import { sendPage } from '../pages/page.ts'
import { type Texts, textsOf } from '../pages/texts.ts'
import { isOver } from './interactions.ts'
import type { OidcSettings } from './oidc-settings.ts'

/** A page that says why something can't go on; what nobody foresaw is logged under the code the page shows. */
export function sendErrorPage(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  { origin }: Pick<OidcSettings, 'origin'>,
): void {
  const { log, correlationId } = requestState(request)
  if (response.headersSent) {
    log.error({ err: error, correlationId }, 'a page broke off')
    response.destroy()
    return
  }
  const language = languageOf(undefined, request.headers['accept-language'])
  const texts = textsOf(language)
  const startUrl = `${origin}/signin`
  if (isOver(error)) {
    sendPage(response, 400, errorPage({ language, message: texts.expired, code: undefined, startUrl }))
    return
  }
  const failure = toFailure(error)
  if (failure.status >= 500) log.error({ err: failure.cause ?? failure, correlationId }, 'a page failed')
  if (failure.status === 503) response.setHeader('retry-after', String(failure.retryAfterSeconds ?? 1))
  const message = messageOf(failure, texts)
  sendPage(response, failure.status, errorPage({ language, message, code: correlationId, startUrl }))
}

/** What is nobody's fault at the other end is told without its reason. */
function messageOf({ status, message }: { status: number; message: string }, texts: Texts): string {
  if (status === 503) return texts.unavailable
  return status >= 500 ? texts.internal : message
}
