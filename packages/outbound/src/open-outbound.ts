import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'
import { addressCheck } from './address.ts'
import { expectedRefusal } from './expected-refusal.ts'
import { guardedConnector } from './guarded-connector.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { Outbound, OutboundPolicy } from './outbound.ts'

const DEFAULTS = {
  connectTimeoutMs: 10_000,
  timeoutMs: 30_000,
  maxResponseBytes: 10_485_760,
  maxRedirects: 3,
  connectionsPerOrigin: 16,
}
const MAX_HEADER_BYTES = 32_768
const ORIGINS = 1000

/**
 * Calls to the world outside under one policy, on sockets that no other policy uses and without any proxy of the
 * environment. Throws an Error that names an entry of `allowed` that is no host, address or range. `lookup` replaces
 * the resolver of the system.
 */
export function openOutbound(policy: OutboundPolicy, lookup?: LookupFunction): Outbound {
  const settings = { ...DEFAULTS, ...policy }
  const { allowed, connectTimeoutMs, timeoutMs, maxResponseBytes, maxRedirects } = settings
  const isAllowed = addressCheck(allowed)
  const connect = guardedConnector({
    isAllowed,
    connectTimeoutMs,
    ...(lookup === undefined ? {} : { lookup }),
  })
  const dispatcher = new Agent({
    connect,
    connections: settings.connectionsPerOrigin,
    maxOrigins: ORIGINS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxResponseSize: maxResponseBytes,
    allowH2: false,
  })
  return {
    fetch: guardedFetch({ dispatcher, timeoutMs, maxResponseBytes, maxRedirects }),
    expectedRefusal: expectedRefusal({ isAllowed, lookup: lookup ?? (systemLookup as LookupFunction) }),
    dispatcher,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}
