import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'

const LINGER_MS = 500

/** Node keeps the response in the making here, and with its parser the request whose body is being read. */
export type Busy = Socket & {
  _httpMessage?: ServerResponse<IncomingMessage> | null
  parser?: { incoming: IncomingMessage | null } | null
}

/**
 * Writes an error where Node gives no response to write to, and closes. Nothing is written that would be read as
 * another's answer.
 */
export function respondOnSocket(socket: Busy, failure: Failure, correlationId: string): void {
  if (isOwedToAnother(socket)) {
    socket.destroySoon()
    return
  }
  const body = JSON.stringify(failure)
  socket.end(
    [
      `HTTP/1.1 ${failure.status} ${reasons[failure.status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `${names.correlationId}: ${correlationId}`,
      'x-content-type-options: nosniff',
      'referrer-policy: no-referrer',
      'cache-control: no-store',
      ...(failure.retryAfterSeconds === undefined ? [] : [`retry-after: ${failure.retryAfterSeconds}`]),
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/**
 * A response is under way, or owed to an earlier request, or was given before the body of its request came to an end:
 * a text written now would be read as that response, or as one to a request that was never sent.
 */
export function isOwedToAnother({ _httpMessage: answer, parser }: Busy): boolean {
  if (answer !== undefined && answer !== null) return answer.headersSent || answer.req.complete
  return parser?.incoming?.complete === false
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/**
 * Node calls this with bytes that are no request, before there is a request to answer, and when one does not come to
 * its end.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Busy): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  // Bytes behind a request that said it was the last one: the answer to it is under way and closes the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return
  respondOnSocket(socket, failureOf(error.code), correlationIdOf(undefined, undefined))
}

/** Ends a connection whose request does not come to its end, with a response where it can't be taken for another. */
export function refuseLate(socket: Busy): void {
  if (socket.writable) respondOnSocket(socket, late(), correlationIdOf(undefined, undefined))
  else socket.destroy()
}

const late = () => new Failure('RequestTimeout', 'The request did not come to its end in time.')

function failureOf(code: string | undefined): Failure {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('HeadersTooLarge', 'The headers are larger than 16 KB: send fewer.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return late()
  return new Failure('RequestValidationError', 'The bytes received are not a valid HTTP/1.1 request.')
}
