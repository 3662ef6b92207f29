import type { Exchange } from '../exchange.ts'
import type { ForwardDeps } from './forward-deps.ts'
import { Forwarded } from './forwarded.ts'
import type { CompiledRoute } from './match-route.ts'

/** Sends a request to the service its line names and streams the answer back. Bodies are never parsed or held. */
export const forward =
  (deps: ForwardDeps) =>
  (exchange: Exchange, route: CompiledRoute): void => {
    // The client left while it was asked who it is: nothing would ever end what is begun for it now.
    if (exchange.response.destroyed) return
    if (route.stream) exchange.response.once('close', deps.streams.take(exchange))
    new Forwarded(exchange, route, deps).send()
  }
