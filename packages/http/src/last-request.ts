import type { IncomingMessage } from 'node:http'

const key = Symbol('last request')

type Carrier = IncomingMessage['socket'] & { [key]?: true }

/**
 * Nothing that arrives behind this request on its connection is a request any more. Node closes the connection when
 * the answer is out, but until then it goes on to read requests, and to call us with them.
 */
export const endConnectionWith = (request: IncomingMessage): void => {
  ;(request.socket as Carrier)[key] = true
}

/** True for what came behind the last request of its connection. */
export const isBehindTheLast = (request: IncomingMessage): boolean =>
  (request.socket as Carrier)[key] === true
