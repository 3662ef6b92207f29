import type { LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { type AddressCheck, bareHost, parsed } from './address.ts'
import { OutboundRefused } from './outbound.ts'

interface Needs {
  isAllowed: AddressCheck
  refusal: Refusal
  connectTimeoutMs: number
  lookup: LookupFunction
  /** False takes any certificate. */
  rejectUnauthorized: boolean
}

/** Why a host is not called. */
export type Refusal = (host: string) => OutboundRefused

/** The sentence is the same whatever is behind a name, so that it tells nothing about the inside. */
export const refusalOf =
  ({ allowedBy, forbids }: { allowedBy: string; forbids: boolean }): Refusal =>
  (host) =>
    new OutboundRefused(
      `${bareHost(host)} is not a public address${forbids ? ', or forbidden here' : ''}: ` +
        `an operator can allow it with ${allowedBy}.`,
    )

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
}: Needs): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    rejectUnauthorized,
    lookup: guardedLookup(lookup, isAllowed, refusal),
  })
  return (options, callback) => {
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

/** Leaves out what must not be dialled; an error when nothing is left. */
export const guardedLookup =
  (lookup: LookupFunction, isAllowed: AddressCheck, refusal: Refusal): LookupFunction =>
  (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const dialled = listOf(found).filter(({ address }) => isAllowed(host, address))
      const [first] = dialled
      if (first === undefined) return callback(refusal(host), [])
      if (options.all === true) return callback(null, dialled)
      callback(null, first.address, first.family)
    })
  }

const listOf = (found: string | LookupAddress[]): LookupAddress[] =>
  typeof found === 'string' ? [{ address: found, family: found.includes(':') ? 6 : 4 }] : found
