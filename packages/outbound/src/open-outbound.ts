import { lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent } from 'undici'
import { addressCheck, bareHost, forbiddenNames } from './address.ts'
import { targetCheck } from './check-target.ts'
import { expectedRefusal } from './expected-refusal.ts'
import { forwarded } from './forwarded.ts'
import { guardedConnector, ownConnector } from './guarded-connector.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { refusalOf } from './guarded-lookup.ts'
import { guardedRequest } from './guarded-request.ts'
import type { Outbound, OutboundPolicy } from './outbound.ts'
import { ownLookup } from './own-lookup.ts'
import { proxyFinder } from './proxies.ts'

const DEFAULTS = {
  allowedBy: 'OUTBOUND_ALLOWED',
  forbidden: [],
  connectTimeoutMs: 10_000,
  timeoutMs: 30_000,
  maxResponseBytes: 10_485_760,
  maxRedirects: 3,
  connectionsPerOrigin: 16,
  origins: 1000,
  allowsHttp2: false,
}
/** A server may offer to keep a connection for longer: it must not hold its place among the origins. */
const IDLE_MS = 10_000
/** So much more comes through that whoever counts what is unpacked notices it first, and has a sentence for it. */
const COUNTED_BYTES = 1_048_576
const MAX_HEADER_BYTES = 32_768
/** A proxy is one origin that stands for many. */
const PROXIED_ORIGINS = 16

/**
 * Calls to the world outside under one policy, on sockets that no other policy uses, through the proxies that it names
 * and no other. Throws an Error that names an entry of `allowed` that is no host, address or range, or a proxy that is
 * none. `given` replaces the look-up of names.
 */
export function openOutbound(policy: OutboundPolicy, given?: LookupFunction): Outbound {
  const settings = { ...DEFAULTS, ...policy }
  const { allowed, connectTimeoutMs, timeoutMs, maxResponseBytes, maxRedirects } = settings
  const isAllowed = addressCheck(allowed, settings.forbidden)
  const refusal = refusalOf({ allowedBy: settings.allowedBy, forbids: settings.forbidden.length > 0 })
  const lookup = given ?? lookupOf(settings)
  const rejectUnauthorized = policy.acceptsAnyCertificate !== true
  const { allowsHttp2, proxies } = settings
  const findProxy = proxyFinder(proxies, policy.ownOrigin)
  const checkTarget = targetCheck({
    isAllowed,
    isForbiddenName: forbiddenNames(settings.forbidden),
    refusal,
    lookup,
    proxyResolvesNames: proxies?.resolvesNames === true,
  })
  const guard = { isAllowed, refusal, connectTimeoutMs, lookup, rejectUnauthorized, allowsHttp2 }
  const limits = {
    connections: settings.connectionsPerOrigin,
    maxOrigins: settings.origins,
    keepAliveMaxTimeout: IDLE_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    maxResponseSize: maxResponseBytes + COUNTED_BYTES,
  }
  const direct = new Agent({
    ...limits,
    connect: ownConnector(
      policy.ownOrigin,
      connectTimeoutMs,
      guardedConnector({ ...guard, findProxy, checkTarget }),
    ),
    allowH2: allowsHttp2,
  })
  // The proxy of an operator may be inside; what it is asked for is checked.
  const toProxies = new Agent({ ...limits, connections: settings.connectionsPerOrigin * PROXIED_ORIGINS })
  const dispatcher = direct.compose(forwarded(findProxy, checkTarget, toProxies))
  const request = guardedRequest({ dispatcher, timeoutMs, maxResponseBytes, maxRedirects })
  return {
    request,
    fetch: guardedFetch(request),
    expectedRefusal: expectedRefusal({
      isAllowed,
      refusal,
      lookup,
    }),
    dispatcher,
    async [Symbol.asyncDispose]() {
      await direct.destroy()
      await toProxies.destroy()
    },
  }
}

function lookupOf({ allowed, resolvesItself }: OutboundPolicy): LookupFunction {
  if (resolvesItself !== true) return systemLookup as LookupFunction
  const named = new Set(allowed.map(bareHost))
  return ownLookup((host) => named.has(host))
}
