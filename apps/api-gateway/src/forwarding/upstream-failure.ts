import { Failure } from '@platform/kernel'

const refused = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])
const lost = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** True when no connection could be made, so that nothing of the request was sent. */
export const isConnectFailure = (error: Error): boolean => refused.has(codeOf(error))

/** True when the connection ended before an answer came. */
export const isConnectionLost = (error: Error): boolean => lost.has(codeOf(error))

/** What a client is told when a service did not answer (decisions A2). */
export function toFailure(error: Error): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') {
    return new Failure('GatewayTimeout', 'The service did not answer in time.', { cause: error })
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new Failure('RequestValidationError', 'The request has a header that can’t be passed on.', {
      cause: error,
    })
  }
  const message = 'The service behind this address does not answer: try again shortly.'
  return new Failure('ServiceUnavailable', message, { cause: error, retryAfterSeconds: 1 })
}
