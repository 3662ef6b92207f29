import { IncomingMessage } from 'node:http'

/** What comes before the body of a request. */
type RequestHead = Pick<
  IncomingMessage,
  'method' | 'url' | 'httpVersion' | 'httpVersionMajor' | 'httpVersionMinor' | 'rawHeaders' | 'headers'
>

/** A request as `node:http` would have read it from a connection, all of whose body is there. */
export function wholeRequest(
  socket: IncomingMessage['socket'],
  { method, url, httpVersion, httpVersionMajor, httpVersionMinor, rawHeaders, headers }: RequestHead,
  body: Buffer,
): IncomingMessage {
  const request = new IncomingMessage(socket)
  Object.assign(request, { httpVersion, httpVersionMajor, httpVersionMinor, complete: true })
  request.method = method
  request.url = url
  request.rawHeaders = rawHeaders
  request.headers = headers
  if (body.length > 0) request.push(body)
  request.push(null)
  return request
}
