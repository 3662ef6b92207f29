import type { Exchange } from '../exchange.ts'
import { Forwarded } from './forwarded.ts'
import type { Instances } from './instances.ts'

/** What forwarding needs. */
export interface ForwardDeps {
  instances: Instances
  internalKey: string
  /** Answers the client when no service could. */
  refuse: (exchange: Exchange, error: unknown) => void
}

/** Sends a request to the service its line names and streams the answer back. Bodies are never parsed or held. */
export const forward =
  (deps: ForwardDeps) =>
  (exchange: Exchange): void => {
    new Forwarded(exchange, deps).send()
  }
