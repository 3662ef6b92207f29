import { OutboundRefused } from '@platform/outbound'
import * as client from 'openid-client'

/** A provider that does not answer, or may not be called. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
}

/** A provider that refuses, or an answer that proves nothing. `message` says why without quoting what was sent. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
}

const UNANSWERED = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
])

/** What an error of the protocol means. Its cause is left out: it holds tokens and claims, which no log may show. */
export function providerError(error: unknown): Error {
  if (error instanceof ProviderUnavailable || error instanceof ProviderRefused) return error
  if (error instanceof OutboundRefused) return new ProviderUnavailable(error.message)
  if (error instanceof client.AuthorizationResponseError)
    return new ProviderRefused(`the provider answered ${plainWord(error.error)}`)
  if (error instanceof client.ResponseBodyError)
    return new ProviderRefused(`its token endpoint answered ${plainWord(error.error)}`)
  if (error instanceof client.ClientError) return clientError(error)
  if (error instanceof TypeError || isTimeout(error))
    return new ProviderUnavailable(`it can't be reached: ${reasonOf(error)}`)
  return error instanceof Error ? error : new Error('Something was thrown that is no error.')
}

function clientError(error: client.ClientError): Error {
  const cause = error.cause
  if (cause instanceof OutboundRefused) return new ProviderUnavailable(cause.message)
  const sentence = `${error.message} (${error.code ?? 'no code'})`
  return UNANSWERED.has(error.code ?? '') ? new ProviderUnavailable(sentence) : new ProviderRefused(sentence)
}

const isTimeout = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError')

/** Of a failed call the code of the system, such as ECONNREFUSED. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string }; message: string }
  return cause?.code ?? message
}

const plainWord = (text: string): string => text.replace(/[^\w .:-]/g, '').slice(0, 80)
