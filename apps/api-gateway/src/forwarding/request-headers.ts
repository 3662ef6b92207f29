import { headers as names } from '@platform/contracts'
import { budgetAfter } from '../callers/budget-after.ts'
import type { Exchange } from '../exchange.ts'
import { connectionTokens, isDroppedFromRequest } from './header-names.ts'

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
  const budget = budgetAfter(exchange.credentialMs)
  if (budget !== undefined) list.push(names.storeBudget, String(budget))
  if (exchange.authentication !== undefined) list.push(...exchange.authentication.identity)
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
