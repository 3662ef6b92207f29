import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'

const LINGER_MS = 500

/** Node keeps the answer in the making here. */
type Busy = Socket & { _httpMessage?: ServerResponse<IncomingMessage> | null }

/** Node calls this with bytes that are no request, before there is a request to answer, and when one does not come to its end. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Busy): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  if (isTakenForAnother(socket)) {
    socket.destroySoon()
    return
  }
  const failure = failureOf(error.code)
  const body = JSON.stringify(failure)
  socket.end(
    [
      `HTTP/1.1 ${failure.status} ${reasons[failure.status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `${names.correlationId}: ${correlationIdOf(undefined, undefined)}`,
      'x-content-type-options: nosniff',
      'referrer-policy: no-referrer',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** An answer is under way, or owed to an earlier request: whatever is written now would be read as that answer. */
function isTakenForAnother({ _httpMessage: answer }: Busy): boolean {
  return answer !== undefined && answer !== null && (answer.headersSent || answer.req.complete)
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

function failureOf(code: string | undefined): Failure {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('HeadersTooLarge', 'The headers are larger than 16 KB: send fewer.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Failure('RequestTimeout', 'The request did not come to its end in time.')
  return new Failure('RequestValidationError', 'The bytes received are not a valid HTTP/1.1 request.')
}
