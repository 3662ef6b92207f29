import type { Exchange } from '../exchange.ts'
import { type ForwardDeps, Forwarded } from './forwarded.ts'

/** Sends a request to the service its line names and streams the answer back. Bodies are never parsed or held. */
export const forward =
  (deps: ForwardDeps) =>
  (exchange: Exchange): void => {
    new Forwarded(exchange, deps).send()
  }
