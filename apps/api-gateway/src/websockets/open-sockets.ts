import type { Exchange } from '../exchange.ts'
import { ByCredential } from '../forwarding/by-credential.ts'
import { CallerPlaces, type PlaceLimits } from '../forwarding/caller-places.ts'
import type { Tunnel } from './tunnel.ts'

/** How many sockets there may be. */
export type SocketLimits = PlaceLimits

/** The open sockets of this process, and whose they are. */
export class OpenSockets {
  readonly #places: CallerPlaces
  readonly tunnels = new ByCredential<Tunnel>()

  constructor(limits: SocketLimits) {
    this.#places = new CallerPlaces('WebSocket', limits)
  }

  get count(): number {
    return this.tunnels.size
  }

  /** True when the process is leaving and takes no further ones. */
  get isClosed(): boolean {
    return this.#places.isClosed
  }

  set isClosed(isClosed: boolean) {
    this.#places.isClosed = isClosed
  }

  /** Takes a place for a socket that is about to open; the answer gives it back. Throws when there is none. */
  take(exchange: Exchange): () => void {
    return this.#places.take(exchange)
  }

  opened(tunnel: Tunnel, exchange: Exchange): void {
    this.tunnels.add(tunnel, exchange)
  }

  ended(tunnel: Tunnel): void {
    this.tunnels.delete(tunnel)
  }
}
