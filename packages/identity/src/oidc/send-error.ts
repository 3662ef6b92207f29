import type { IncomingMessage, ServerResponse } from 'node:http'
import { requestState, sendFailure } from '@platform/http'
import { Failure } from '@platform/kernel'
import { errors } from 'oidc-provider'
import type { OidcSettings } from './oidc-settings.ts'
import { sendErrorPage } from './send-error-page.ts'

const PAGE_FIRST = /^\s*(text\/html|application\/xhtml\+xml)\b/i

/**
 * Answers what went wrong under /oidc outside the words of OAuth: with a page where a browser asks, else in the one
 * error shape.
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  settings: OidcSettings,
): void {
  const told = asFailure(error)
  if (PAGE_FIRST.test(request.headers.accept ?? '') && !response.headersSent) {
    sendErrorPage(request, response, told, settings)
    return
  }
  const { log, correlationId } = requestState(request)
  sendFailure(response, told, log, correlationId)
}

/** What the server refuses is the fault of the request, also when it is thrown past the server's own answers. */
const asFailure = (error: unknown): unknown =>
  error instanceof errors.OIDCProviderError && error.statusCode < 500
    ? new Failure('RequestValidationError', 'The request holds something the OIDC server refuses.', {
        cause: error,
      })
    : error
