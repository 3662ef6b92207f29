import type { IncomingMessage, ServerResponse } from 'node:http'
import { declaredLength, holdsBodyBack } from './body.ts'

/** A body up to here is thrown away so that the connection can serve the next request. */
const DISCARDED_BYTES = 65_536
/**
 * How long a client that is still sending is listened to after its response: closing at once would make it miss the
 * answer.
 */
const LINGER_MS = 1000

/**
 * Ends a response. A request body that was not read to its end would be taken for the next request, or keep the
 * connection busy: a short one is thrown away, a long one ends the connection, after a moment in which the client can
 * read why.
 */
export function endResponse(response: ServerResponse, body: string | Uint8Array): void {
  const { req: request } = response
  if (request.complete || isShort(request)) {
    response.end(body)
    if (!request.complete) request.resume()
    return
  }
  response.setHeader('connection', 'close')
  endConnectionWith(request)
  if (holdsBodyBack(request)) {
    response.end(body)
    return
  }
  response.write(body)
  discardBody(request, () => response.end())
}

const isShort = (request: IncomingMessage): boolean =>
  !holdsBodyBack(request) &&
  request.headers['transfer-encoding'] === undefined &&
  declaredLength(request) <= DISCARDED_BYTES

/**
 * Throws away what a client still sends, for a second at most; then `done`. Its response has been written, and it was
 * told to close.
 */
export function discardBody(request: IncomingMessage, done: () => void): void {
  const timer = setTimeout(finish, LINGER_MS)
  function finish() {
    clearTimeout(timer)
    request.off('end', finish).off('close', finish)
    done()
  }
  request.once('end', finish).once('close', finish)
  // Whoever had begun to read it lets go of it first, and holds it back for others.
  setImmediate(() => request.resume())
}

const key = Symbol('last request')

type Carrier = IncomingMessage['socket'] & { [key]?: true }

/**
 * Nothing that arrives behind this request on its connection is a request any more. Node closes the connection when
 * the response is out, but until then it goes on to read requests, and to call us with them.
 */
export const endConnectionWith = (request: IncomingMessage): void => {
  ;(request.socket as Carrier)[key] = true
}

/** True for what came behind the last request of its connection. */
export const isBehindTheLast = (request: IncomingMessage): boolean =>
  (request.socket as Carrier)[key] === true
