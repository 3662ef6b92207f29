import { OutboundRefused } from './callable.ts'
import type { OutboundRequest } from './outbound.ts'

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language']
/** What another origin may see: any other header can be a credential that was given for the first one. */
const CARRIED = new Set([
  ...BODY_HEADERS,
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'range',
  'traceparent',
  'user-agent',
])

/** Where an answer with this status and header redirects to, as it says it; undefined when it redirects to nowhere. */
export const locationOf = (status: number, location: string | string[] | undefined): string | undefined =>
  REDIRECTS.has(status) && location !== undefined ? String(location) : undefined

/**
 * The request that follows a redirect, as the fetch standard has it. Throws OutboundRefused for what is no address, and
 * from https to http.
 */
export function redirected(request: OutboundRequest, status: number, location: string): OutboundRequest {
  const { url, method, headers: given } = request
  const target = URL.parse(location, url.href)
  if (target === null) throw new OutboundRefused(`${url.host} redirects to what is no address.`)
  if (url.protocol === 'https:' && target.protocol === 'http:')
    throw new OutboundRefused(`${url.host} redirects from https to http, which is not followed.`)
  const carries = target.origin === url.origin ? () => true : (name: string) => CARRIED.has(name)
  const isGet = becomesGet(method, status)
  const leaves = isGet ? BODY_HEADERS : []
  const headers = Object.fromEntries(
    Object.entries(given).filter(([name]) => carries(name) && !leaves.includes(name)),
  )
  const next = { ...request, url: target, headers }
  return isGet ? { ...next, method: 'GET', body: undefined } : next
}

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'HEAD' && method !== 'GET'
  return (status === 301 || status === 302) && method === 'POST'
}
