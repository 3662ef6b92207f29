import { IncomingMessage } from 'node:http'

/** What comes before the body of a request. */
type RequestHead = Pick<
  IncomingMessage,
  'method' | 'url' | 'httpVersion' | 'httpVersionMajor' | 'httpVersionMinor' | 'rawHeaders' | 'headers'
>

const key = Symbol('whole body')

/** The body until somebody reads it, whole or as a stream. */
type WholeRequest = IncomingMessage & { [key]?: Buffer | 'taken' | 'streamed' }

/** A request as `node:http` would have read it from a connection, all of whose body is there. */
export function wholeRequest(
  socket: IncomingMessage['socket'],
  { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers }: RequestHead,
  body: Buffer,
): IncomingMessage {
  const request: WholeRequest = new IncomingMessage(socket)
  request.httpVersion = httpVersion
  request.httpVersionMajor = httpVersionMajor
  request.httpVersionMinor = httpVersionMinor
  request.complete = true
  request.method = method
  request.url = url
  request.rawHeaders = rawHeaders
  request.headers = headers
  request[key] = body
  request._read = streamBody
  return request
}

/** The body of a whole request that nobody has begun to read; undefined for every other request. */
export function takeWhole(request: IncomingMessage): Buffer | undefined {
  const whole = request as WholeRequest
  const body = whole[key]
  if (!Buffer.isBuffer(body)) return undefined
  whole[key] = 'taken'
  return body
}

/** True when the body of a whole request was taken. */
export const isTaken = (request: IncomingMessage): boolean => (request as WholeRequest)[key] === 'taken'

/** Nobody gets more of the request than has come: who reads its stream is told. */
export function endWhole(request: IncomingMessage): void {
  if ((request as WholeRequest)[key] === 'streamed' && !request.readableEnded) request.destroy()
}

/** Somebody reads it as a stream. */
function streamBody(this: WholeRequest): void {
  const body = takeWhole(this)
  this[key] = 'streamed'
  if (body !== undefined && body.length > 0) this.push(body)
  this.push(null)
}
