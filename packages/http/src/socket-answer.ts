import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headers as names } from '@platform/contracts'
import type { Failure } from '@platform/kernel'

const LINGER_MS = 500

/** Node keeps the answer in the making here, and with its parser the request whose body is being read. */
export type Busy = Socket & {
  _httpMessage?: ServerResponse<IncomingMessage> | null
  parser?: { incoming: IncomingMessage | null } | null
}

/**
 * Writes an error where Node gives no response to write to, and closes. Nothing is written that would be read as
 * another's answer.
 */
export function answerOnSocket(socket: Busy, failure: Failure, correlationId: string): void {
  if (isTakenForAnother(socket)) {
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
 * An answer is under way, or owed to an earlier request, or was given before the body of its request came to an end:
 * whatever is written now would be read as that answer, or as one to a request that nobody sent.
 */
export function isTakenForAnother({ _httpMessage: answer, parser }: Busy): boolean {
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
