import { Failure } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'
import type { Instance } from './instance.ts'

const refused = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])
const UNREACHABLE = 'INSTANCE_UNREACHABLE'
const lost = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE', UNREACHABLE])

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** True when no connection could be made, so that nothing of the request was sent. */
const isConnectFailure = (error: Error): boolean => refused.has(codeOf(error))

/** True when the connection ended before a response came. */
const isConnectionLost = (error: Error): boolean => lost.has(codeOf(error))

/** What ends a request whose instance is found to be gone. */
export const unreachable = () =>
  Object.assign(new Error('The instance can’t be reached any more.'), { code: UNREACHABLE })

/** Tells the breaker of an instance what a failed request says about it. */
export function noteFailure({ breaker }: Instance, error: Error, wasUnsent: boolean, isOver: boolean): void {
  if (isConnectFailure(error)) breaker.unreachable()
  else if (!isOver && !wasUnsent && isConnectionLost(error)) breaker.lost()
  else breaker.abandoned()
}

/** Why a request to a service is aborted whose client is gone; it is never sent. */
export const clientGone = new Failure('RequestTimeout', 'The client is gone.')

/** No instance can take a request now. */
export const busy = () =>
  new Failure(
    'ServiceUnavailable',
    'The service behind this address can’t take requests: try again shortly.',
    {
      retryAfterSeconds: 1,
    },
  )

/** The service had the request and its time, and said nothing. */
export const timedOut = () => new Failure('GatewayTimeout', 'The service did not answer in time.')

/** What a client is told when a service did not respond. */
export function toFailure(error: Error): Failure {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return new Failure('RequestValidationError', 'The request has a header that can’t be passed on.', {
      cause: error,
    })
  }
  const message = 'The service behind this address does not answer: try again shortly.'
  return new Failure('ServiceUnavailable', message, { cause: error, retryAfterSeconds: 1 })
}

/**
 * True when the response can't show that a request which failed with `error` was sent twice: nothing of it was sent
 * the first time, or its connection was lost before a response and it changes nothing. A DELETE that was done is 404
 * the second time, a PUT with If-Match 412.
 */
export const mayRepeat = ({ isSafe }: Exchange, wasSent: boolean, hasBody: boolean, error: Error): boolean =>
  !wasSent || (isSafe && !hasBody && isConnectionLost(error))
