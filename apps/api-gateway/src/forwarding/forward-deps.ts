import type { Duplex } from 'node:stream'
import type { Exchange } from '../exchange.ts'
import type { Instances } from './instances.ts'
import type { OpenStreams } from './open-streams.ts'

/** What forwarding needs. */
export interface ForwardDeps {
  instances: Instances
  internalKey: string
  /** Is told of each answer that begins and may have no end. */
  streams: OpenStreams
  /** Answers the client when no service could. */
  refuse: (exchange: Exchange, error: unknown) => void
}

/** Takes both ends of a connection that is no HTTP any more; `done` is to be called when it has ended. */
export type Join = (exchange: Exchange, headers: string[], socket: Duplex, done: () => void) => void
