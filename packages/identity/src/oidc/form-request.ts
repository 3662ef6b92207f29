import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { isForm, readForm } from '../pages/read-form.ts'

const LIMIT_BYTES = 65_536
const ABOUT_A_TOKEN = /^\/token\/(introspection|revocation)$/

/**
 * The request as the server gets it: of a form only what was read of it here, so that nobody reads the same bytes in
 * another way. What is no form stays as it is, for the server to refuse. Rejects with RequestValidationError for a
 * form no store can keep.
 */
export async function withReadForm(request: IncomingMessage, path: string): Promise<IncomingMessage> {
  if (request.method !== 'POST' || !isForm(request)) return request
  const form = await readForm(request, LIMIT_BYTES)
  if (ABOUT_A_TOKEN.test(path)) markToken(form)
  return replayed(request, form.toString())
}

/** The same request with another body. */
function replayed(request: IncomingMessage, body: string): IncomingMessage {
  const { originalUrl, baseUrl } = request as IncomingMessage & { originalUrl?: string; baseUrl?: string }
  const copy = Object.assign(new IncomingMessage(new Socket()), { originalUrl, baseUrl })
  copy.method = request.method ?? 'POST'
  copy.url = request.url ?? '/'
  const { 'transfer-encoding': _, ...headers } = request.headers
  copy.headers = {
    ...headers,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
  }
  copy.push(body)
  copy.push(null)
  return copy
}

/** A character no JWT begins with. */
const MARK = '~'

/** The JWT behind a mark; undefined for what has none. */
export const unmarked = (token: string): string | undefined =>
  token.startsWith(MARK) ? token.slice(MARK.length) : undefined

/**
 * The server refuses to introspect or revoke whatever looks like a JWT, because it keeps none. Ours have a session
 * row, so it can be done: a mark before the token lets it through to the adapter, which knows what to do with it.
 */
function markToken(form: URLSearchParams): void {
  const token = form.getAll('token')
  if (token.length === 1 && token[0]?.startsWith('eyJ') === true) form.set('token', MARK + token[0])
}
