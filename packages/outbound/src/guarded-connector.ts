import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type AddressCheck, bareHost, parsed } from './address.ts'
import type { CheckTarget } from './check-target.ts'
import { guardedLookup, type Refusal } from './guarded-lookup.ts'
import type { FindProxy } from './proxies.ts'
import { openTunnel } from './tunnel.ts'

interface Needs {
  isAllowed: AddressCheck
  refusal: Refusal
  connectTimeoutMs: number
  lookup: LookupFunction
  /** False takes any certificate. */
  rejectUnauthorized: boolean
  allowsHttp2: boolean
  /** Proxies of encrypted calls. */
  findProxy: FindProxy
  /** What is asked of a proxy. */
  checkTarget: CheckTarget
}

/**
 * Opens connections to addresses that pass the check only. A name is resolved once, and what was checked is what is
 * dialled: there is no second look-up that could answer something else.
 */
export function guardedConnector({
  isAllowed,
  refusal,
  connectTimeoutMs,
  lookup,
  rejectUnauthorized,
  allowsHttp2,
  findProxy,
  checkTarget,
}: Needs): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: allowsHttp2,
    rejectUnauthorized,
    lookup: guardedLookup(lookup, isAllowed, refusal),
  })
  const tunnel = async (proxy: URL, { hostname, port, protocol }: buildConnector.Options) => {
    const end = { host: await checkTarget(hostname), port: port || (protocol === 'https:' ? '443' : '80') }
    return await openTunnel(proxy, end, connectTimeoutMs)
  }
  return (options, callback) => {
    const { protocol, hostname, port } = options
    const proxy = protocol === 'https:' ? findProxy({ protocol, hostname, port: port ?? '' }) : undefined
    if (proxy !== undefined) {
      tunnel(proxy, options).then(
        (httpSocket) => connect({ ...options, httpSocket }, callback),
        (error: Error) => callback(error, null),
      )
      return
    }
    const literal = parsed(options.hostname) !== undefined || options.hostname.includes(':')
    // Node asks no look-up for what is an address already.
    if (literal && !isAllowed(options.hostname, bareHost(options.hostname)))
      return callback(refusal(options.hostname), null)
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      if (isAllowed(options.hostname, socket.remoteAddress ?? '')) return callback(null, socket)
      socket.destroy()
      callback(refusal(options.hostname), null)
    })
  }
}

/** Connects to one origin without asking anybody, to all others through `guarded`. */
export function ownConnector(
  origin: string | undefined,
  timeout: number,
  guarded: buildConnector.connector,
): buildConnector.connector {
  if (origin === undefined) return guarded
  const { protocol, host } = new URL(origin)
  const connect = buildConnector({ timeout, allowH2: false })
  return (options, callback) => {
    const isOwn = options.protocol === protocol && options.host === host
    return isOwn ? connect(options, callback) : guarded(options, callback)
  }
}
