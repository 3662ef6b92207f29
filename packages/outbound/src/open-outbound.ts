import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'
import { addressCheck, bareHost } from './address.ts'
import { expectedRefusal } from './expected-refusal.ts'
import { guardedConnector, ownConnector, refusalOf } from './guarded-connector.ts'
import { guardedFetch } from './guarded-fetch.ts'
import type { Outbound, OutboundPolicy } from './outbound.ts'
import { ownLookup } from './own-lookup.ts'

const DEFAULTS = {
  allowedBy: 'OUTBOUND_ALLOWED',
  forbidden: [],
  connectTimeoutMs: 10_000,
  timeoutMs: 30_000,
  maxResponseBytes: 10_485_760,
  maxRedirects: 3,
  connectionsPerOrigin: 16,
  origins: 1000,
}
/** A server may offer to keep a connection for longer: it must not hold its place among the origins. */
const IDLE_MS = 10_000
/** So much more comes through that whoever counts what is unpacked notices it first, and has a sentence for it. */
const COUNTED_BYTES = 1_048_576
const MAX_HEADER_BYTES = 32_768

/**
 * Calls to the world outside under one policy, on sockets that no other policy uses and without any proxy of the
 * environment. Throws an Error that names an entry of `allowed` that is no host, address or range. `given` replaces
 * the look-up of names.
 */
export function openOutbound(policy: OutboundPolicy, given?: LookupFunction): Outbound {
  const settings = { ...DEFAULTS, ...policy }
  const { allowed, connectTimeoutMs, timeoutMs, maxResponseBytes, maxRedirects } = settings
  const isAllowed = addressCheck(allowed, settings.forbidden)
  const refusal = refusalOf({ allowedBy: settings.allowedBy, forbids: settings.forbidden.length > 0 })
  const lookup = given ?? lookupOf(settings)
  const rejectUnauthorized = policy.acceptsAnyCertificate !== true
  const guarded = guardedConnector({ isAllowed, refusal, connectTimeoutMs, lookup, rejectUnauthorized })
  const connect = ownConnector(policy.ownOrigin, connectTimeoutMs, guarded)
  const dispatcher = new Agent({
    connect,
    connections: settings.connectionsPerOrigin,
    maxOrigins: settings.origins,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxResponseSize: maxResponseBytes + COUNTED_BYTES,
    allowH2: false,
  })
  return {
    fetch: guardedFetch({ dispatcher, timeoutMs, maxResponseBytes, maxRedirects }),
    expectedRefusal: expectedRefusal({
      isAllowed,
      refusal,
      lookup,
    }),
    dispatcher,
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}

function lookupOf({ allowed, resolvesItself }: OutboundPolicy): LookupFunction {
  if (resolvesItself !== true) return systemLookup as LookupFunction
  const named = new Set(allowed.map(bareHost))
  return ownLookup((host) => named.has(host))
}
