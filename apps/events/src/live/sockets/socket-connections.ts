import type { IncomingMessage } from 'node:http'
import type { Principal } from '@platform/auth'
import { networkOf } from '@platform/http'
import { Failure } from '@platform/kernel'

/** A connection of engine.io: a WebSocket, or a client that polls. */
export interface Connection {
  readonly request: IncomingMessage
  readonly readyState: string
  once(event: 'close', listener: () => void): void
  close(discard?: boolean): void
}

/** How many connections there may be. */
export interface ConnectionLimits {
  /** All together. */
  max: number
  /** Of one user, API key or, without one, address; all of a /64 of IPv6 are one. */
  perCaller: number
  /** Of those, the ones that follow no workspace yet. */
  newPerCaller: number
  /** Those of all callers: beyond it the oldest has to go. */
  newMax: number
  /** How long one may follow nothing. */
  newMs: number
}

export const connectionLimits: ConnectionLimits = {
  max: 10_000,
  perCaller: 1000,
  newPerCaller: 50,
  newMax: 1000,
  newMs: 5000,
}

/**
 * The open connections of a process, and whose they are. One counts as soon as it is opened, before anybody has shown
 * a credential: those that follow nothing yet are few, and end in seconds.
 */
export class SocketConnections {
  readonly #limits: ConnectionLimits
  /** By caller, all of them. */
  readonly #open = new Map<string, number>()
  /** Those that follow nothing yet, the oldest first, each with its caller. */
  readonly #new = new Map<Connection, string>()
  readonly #newOf = new Map<string, number>()

  constructor(limits: ConnectionLimits = connectionLimits) {
    this.#limits = limits
  }

  /** Throws TooManyRequests when the caller of a request may not open a further connection. */
  requireRoom(request: IncomingMessage): void {
    const { perCaller, newPerCaller } = this.#limits
    const caller = callerIdOf(request)
    const open = this.#open.get(caller) ?? 0
    const waiting = this.#newOf.get(caller) ?? 0
    if (open < perCaller && waiting < newPerCaller) return
    const message =
      waiting < newPerCaller
        ? `You have ${open} open connections: close one first.`
        : `${waiting} of your connections follow no workspace yet: connect them to one first.`
    throw new Failure('TooManyRequests', message, { retryAfterSeconds: 1 })
  }

  /** Counts one until it is closed. */
  add(connection: Connection): void {
    const caller = callerIdOf(connection.request)
    count(this.#open, caller, 1)
    count(this.#newOf, caller, 1)
    this.#new.set(connection, caller)
    connection.once('close', () => {
      this.joined(connection)
      count(this.#open, caller, -1)
    })
    const timer = setTimeout(() => this.#end(connection), this.#limits.newMs).unref()
    connection.once('close', () => clearTimeout(timer))
    const [oldest] = this.#new.keys()
    if (oldest !== undefined && this.#new.size > this.#limits.newMax) this.#end(oldest)
  }

  /** At once: to learn of its end, a client would have to poll. */
  #end(connection: Connection): void {
    if (!this.#new.has(connection)) return
    this.joined(connection)
    connection.close(true)
  }

  /** It is none of those any more that follow nothing. */
  joined(connection: Connection): void {
    const caller = this.#new.get(connection)
    if (caller === undefined) return
    this.#new.delete(connection)
    count(this.#newOf, caller, -1)
  }
}

function count(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const counted = (counts.get(key) ?? 0) + by
  if (counted > 0) counts.set(key, counted)
  else counts.delete(key)
}

function callerIdOf(request: IncomingMessage): string {
  const { principal, ip } = callerOf(request)
  if (principal?.kind === 'user') return `user:${principal.userId}`
  if (principal?.kind === 'apiKey') return `key:${principal.apiKeyId}`
  return `address:${networkOf(ip)}`
}

/** Who opened a connection, as the gateway said. */
interface SocketCaller {
  principal: Principal | undefined
  ip: string
}

const callers = new WeakMap<IncomingMessage, SocketCaller>()

export const rememberCaller = (request: IncomingMessage, caller: SocketCaller): void =>
  void callers.set(request, caller)

export const callerOf = (request: IncomingMessage): SocketCaller =>
  callers.get(request) ?? { principal: undefined, ip: '' }
