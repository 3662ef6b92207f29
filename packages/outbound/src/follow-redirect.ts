import { Headers, type RequestInit, type Response } from 'undici'
import { OutboundRefused } from './outbound.ts'

/** One call of a chain. */
export interface NextRequest {
  url: URL
  init: RequestInit
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Prove something to one origin; another one must not see them. */
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization', 'x-api-key']
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language']

/** The call that an answer asks for, as the fetch standard has it; undefined when it asks for none. */
export function redirected({ url, init }: NextRequest, response: Response): NextRequest | undefined {
  const location = response.headers.get('location')
  if (!REDIRECTS.has(response.status) || location === null) return undefined
  const target = URL.parse(location, url.href)
  if (target === null) throw new OutboundRefused(`${url.host} redirects to what is no address.`)
  if (url.protocol === 'https:' && target.protocol === 'http:')
    throw new OutboundRefused(`${url.host} redirects from https to http, which is not followed.`)

  const headers = new Headers(init.headers)
  if (target.origin !== url.origin) for (const name of CREDENTIALS) headers.delete(name)
  if (!becomesGet(init.method, response.status))
    return { url: target, init: { ...init, headers, body: repeatable(init.body, url) } }
  for (const name of BODY_HEADERS) headers.delete(name)
  return { url: target, init: { ...init, headers, method: 'GET', body: null } }
}

function becomesGet(given: string | undefined, status: number): boolean {
  const method = (given ?? 'GET').toUpperCase()
  if (status === 303) return method !== 'HEAD' && method !== 'GET'
  return (status === 301 || status === 302) && method === 'POST'
}

/** What was streamed is gone. */
function repeatable(body: RequestInit['body'], url: URL): NonNullable<RequestInit['body']> | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'object' && (Symbol.asyncIterator in body || 'getReader' in body))
    throw new OutboundRefused(`${url.host} asks for a streamed body a second time.`)
  return body
}
