import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { mediaTypeOf } from '@platform/http'
import { readForm } from '../sign-in/read-form.ts'

/** A character no JWT begins with. */
const MARK = '~'

/** The JWT behind a mark; undefined for what has none. */
export const unmarked = (token: string): string | undefined =>
  token.startsWith(MARK) ? token.slice(MARK.length) : undefined

/**
 * The server refuses to introspect or revoke whatever looks like a JWT, because it keeps none. Ours have a session row, so it can be
 * done: a mark before the token lets it through to the adapter, which knows what to do with it.
 */
export async function withMarkedToken(request: IncomingMessage): Promise<IncomingMessage> {
  if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded') return request
  const form = await readForm(request)
  const token = form.getAll('token')
  if (token.length === 1 && token[0]?.startsWith('eyJ') === true) form.set('token', MARK + token[0])
  return replayed(request, form.toString())
}

/** The same request with another body. */
function replayed(request: IncomingMessage, body: string): IncomingMessage {
  const { originalUrl, baseUrl } = request as IncomingMessage & { originalUrl?: string; baseUrl?: string }
  const copy = Object.assign(new IncomingMessage(new Socket()), { originalUrl, baseUrl })
  copy.method = request.method ?? 'POST'
  copy.url = request.url ?? '/'
  copy.headers = { ...request.headers, 'content-length': String(Buffer.byteLength(body)) }
  copy.push(body)
  copy.push(null)
  return copy
}
