import { networkOf } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'
import type { Tunnel } from './tunnel.ts'

/** How many sockets there may be. */
export interface SocketLimits {
  max: number
  /** Of one caller. */
  perCaller: number
}

/** The open sockets of this process, and whose they are. */
export class OpenSockets {
  readonly #limits: SocketLimits
  readonly #byCaller = new Map<string, number>()
  readonly #tunnels = new Map<Tunnel, Exchange>()
  #places = 0
  /** True when the process is leaving and takes no further ones. */
  isClosed = false

  constructor(limits: SocketLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#tunnels.size
  }

  /** Takes a place for a socket that is about to open; the answer gives it back. Throws when there is none. */
  take(exchange: Exchange): () => void {
    if (this.isClosed || this.#places >= this.#limits.max)
      throw new Failure('ServiceUnavailable', 'No further WebSocket can be opened here: try again shortly.')
    const caller = callerIdOf(exchange)
    const others = this.#byCaller.get(caller) ?? 0
    if (others >= this.#limits.perCaller)
      throw new Failure('TooManyRequests', `You have ${others} open WebSockets: close one first.`, {
        retryAfterSeconds: 1,
      })
    this.#byCaller.set(caller, others + 1)
    this.#places += 1
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#places -= 1
      const left = (this.#byCaller.get(caller) ?? 1) - 1
      if (left > 0) this.#byCaller.set(caller, left)
      else this.#byCaller.delete(caller)
    }
  }

  opened(tunnel: Tunnel, exchange: Exchange): void {
    this.#tunnels.set(tunnel, exchange)
  }

  ended(tunnel: Tunnel): void {
    this.#tunnels.delete(tunnel)
  }

  entries(): Iterable<[Tunnel, Exchange]> {
    return this.#tunnels.entries()
  }
}

function callerIdOf({ principal, clientIp }: Exchange): string {
  if (principal?.kind === 'user') return `user:${principal.userId}`
  if (principal?.kind === 'apiKey') return `key:${principal.apiKeyId}`
  return `address:${networkOf(clientIp)}`
}
