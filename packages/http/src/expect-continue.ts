import type { IncomingMessage, ServerResponse } from 'node:http'

const waiting = new WeakSet<IncomingMessage>()

/**
 * Answers `Expect: 100-continue` when somebody begins to read the body, and not before it is known that it is wanted.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read
  waiting.add(request)
  request._read = function (size) {
    request._read = read
    if (!response.headersSent) {
      waiting.delete(request)
      response.writeContinue()
    }
    read.call(this, size)
  }
}

/** True while the client holds its body back; an answer now leaves open whether the body will ever come. */
export const holdsBodyBack = (request: IncomingMessage): boolean => waiting.has(request)
