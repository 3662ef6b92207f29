import { Failure } from '@platform/kernel'
import { correlationIdOf } from './correlation.ts'
import { answerOnSocket, type Busy } from './socket-answer.ts'

/**
 * Node calls this with bytes that are no request, before there is a request to answer, and when one does not come to
 * its end.
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Busy): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  // Bytes behind a request that said it was the last one: the answer to it is under way and closes the connection.
  if (error.code === 'HPE_CLOSED_CONNECTION') return
  answerOnSocket(socket, failureOf(error.code), correlationIdOf(undefined, undefined))
}

/** Ends a connection whose request does not come to its end: told so where nothing else would be read into it. */
export function answerLate(socket: Busy): void {
  if (socket.writable) answerOnSocket(socket, late(), correlationIdOf(undefined, undefined))
  else socket.destroy()
}

const late = () => new Failure('RequestTimeout', 'The request did not come to its end in time.')

function failureOf(code: string | undefined): Failure {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Failure('HeadersTooLarge', 'The headers are larger than 16 KB: send fewer.')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return late()
  return new Failure('RequestValidationError', 'The bytes received are not a valid HTTP/1.1 request.')
}
