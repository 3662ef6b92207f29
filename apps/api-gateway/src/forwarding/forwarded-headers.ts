import { callingRunHeaders } from '@platform/auth'
import { headers as names } from '@platform/contracts'
import type { Exchange } from '../exchange.ts'

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Of a request: what only concerns this connection, what only the gateway may say, and credentials, which end here. */
const requestOnly = new Set(['expect', 'cookie', 'forwarded', 'x-real-ip', names.correlationId])
const responseOnly = new Set<string>([names.correlationId, names.internalKey])

const isForgeable = (name: string): boolean =>
  name.startsWith('x-platform-') || name.startsWith('x-forwarded-')

/**
 * Whether a request header stays behind. Servers that turn headers into variables read `x_platform_user_id` like
 * `x-platform-user-id`, so both are removed. The one header of the family that services read is the API version.
 */
function staysBehind(rawName: string): boolean {
  const name = rawName.toLowerCase().replaceAll('_', '-')
  if (name === names.apiVersion && !rawName.includes('_')) return false
  return hopByHop.has(name) || requestOnly.has(name) || isForgeable(name)
}

const staysInside = (rawName: string): boolean => {
  const name = rawName.toLowerCase()
  return hopByHop.has(name) || responseOnly.has(name) || name.startsWith('x-platform-internal')
}

/** The names of headers repeat from request to request: each spelling is judged once. */
const judgements = (judge: (rawName: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (rawName: string): boolean => {
    const before = known.get(rawName)
    if (before !== undefined) return before
    const judged = judge(rawName)
    if (known.size < 1000) known.set(rawName, judged)
    return judged
  }
}

/** True for a header of a client that no service may see. */
const isDroppedFromRequest = judgements(staysBehind)

/** True for a header of a service that no client may see. */
const isDroppedFromResponse = judgements(staysInside)

/** The names a Connection header adds to the hop-by-hop ones; undefined for the usual values, which add none. */
function connectionTokens(value: string | undefined): Set<string> | undefined {
  if (value === undefined || value === 'keep-alive' || value === 'close' || value === 'Keep-Alive')
    return undefined
  return new Set(value.split(',').map((token) => token.trim().toLowerCase()))
}

/**
 * What a service is sent: the client's headers without anything that only the gateway may say, then the caller, the
 * client's address, the deadline and the internal key. One pass over the raw list, so that nothing is joined, renamed
 * or lost.
 */
export function requestHeaders(exchange: Exchange, internalKey: string): string[] {
  const raw = exchange.request.rawHeaders
  const tokens = connectionTokens(exchange.request.headers.connection)
  const list: string[] = []
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index] as string
    if (isDroppedFromRequest(name) || tokens?.has(name.toLowerCase()) === true) continue
    if (isReplaced(name, exchange)) continue
    list.push(name, raw[index + 1] as string)
  }
  list.push(names.internalKey, internalKey, names.correlationId, exchange.correlationId)
  list.push(names.clientIp, exchange.clientIp, names.deadline, String(exchange.deadlineAt))
  const budget = exchange.storeBudgetMs
  if (budget !== undefined) list.push(names.storeBudget, String(budget))
  if (exchange.authentication !== undefined) list.push(...exchange.authentication.identity)
  if (exchange.run !== undefined) list.push(...callingRunHeaders(exchange.run))
  if (exchange.upstreamSpan !== undefined) list.push('traceparent', exchange.upstreamSpan.traceparent)
  return list
}

/** Our own credential stays here, and while traces are sent the service goes on with our part of the trace. */
const isReplaced = (name: string, { foreignBearer, upstreamSpan }: Exchange): boolean =>
  (!foreignBearer && isAuthorization(name)) ||
  (upstreamSpan !== undefined && name.toLowerCase() === 'traceparent')

const isAuthorization = (name: string): boolean =>
  name.length === 13 &&
  (name === 'authorization' || name === 'Authorization' || name.toLowerCase() === 'authorization')

/** The headers of a service as undici reads them: names in lower case, a list where one stands there several times. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>

/** What a client is sent: the service's headers without those of the connection behind, and the correlation id. */
export function responseHeaders(headers: UpstreamHeaders, correlationId: string): string[] {
  const tokens = connectionTokens(headers.connection?.toString())
  const list: string[] = []
  for (const name in headers) {
    if (!isDroppedFromResponse(name) && tokens?.has(name) !== true) addHeader(list, name, headers[name])
  }
  list.push(names.correlationId, correlationId)
  return list
}

function addHeader(list: string[], name: string, value: string | string[] | undefined): void {
  if (typeof value === 'string') list.push(name, value)
  else for (const one of value ?? []) list.push(name, one)
}
