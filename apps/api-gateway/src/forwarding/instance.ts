import { createHash } from 'node:crypto'
import { SlotList } from '@platform/kernel'
import { Pool } from 'undici'
import { Breaker } from './breaker.ts'

/** Connections to one instance; further requests wait for one of them. */
const CONNECTIONS_MAX = 512
const CONNECT_MS = 1000
/** Answers without an end at once; as many as a server takes connections. */
const STREAMS_MAX = 10_000

/** What the last probe said: takes requests; finishes those it has; accepts connections but says nothing. */
export type Health = 'ready' | 'draining' | 'frozen'

/** A request that waits for the first byte of its answer. */
export interface Waiting {
  /** When it was sent, or when the last piece of its body was; Unix milliseconds. */
  readonly waitingSince: number
  readonly timeoutMs: number
  /** Nothing came in time. */
  expire(): void
  /** The instance can't be reached any more. */
  disconnect(): void
}

/** An answer that has begun and isn't whole yet. */
export interface Answering {
  /** When something of it came last; Unix milliseconds, never while the client holds it up. */
  readonly silentSince: number
  /** Nothing came for too long. */
  cut(): void
}

/** One address of a service and what is known of it. */
export class Instance {
  readonly origin: string
  /** The name a certificate must be for, where the origin is an address a name was resolved to. */
  readonly servername: string | undefined
  /** What it is called among the instances of its service: the same at every gateway that knows it by this address. */
  readonly tag: string
  readonly pool: Pool
  /** For answers that have no end, which would use up the connections of the others. */
  readonly streams: Pool
  readonly breaker = new Breaker()
  /** Requests that were sent and have no first byte yet. */
  readonly waiting = new SlotList<Waiting>()
  /** Answers on their way. */
  readonly answering = new SlotList<Answering>()
  /** Requests and upgraded connections under way. */
  outstanding = 0
  health: Health = 'ready'
  isProbing = false
  /** When it was last asked whether it takes requests; Unix milliseconds. */
  probedAt = 0

  constructor(origin: string, servername: string | undefined) {
    this.origin = origin
    this.servername = servername
    this.tag = createHash('sha256').update(origin).digest('hex').slice(0, 12)
    const options = {
      // A stuck answer must not hold up another.
      pipelining: 1,
      connect: { timeout: CONNECT_MS, ...(servername === undefined ? {} : { servername }) },
      // Shorter than the services' own, so that a connection is never closed under a request.
      keepAliveTimeout: 60_000,
      keepAliveMaxTimeout: 60_000,
      // The first byte is waited for by `waiting`, which also sees requests that have no connection yet.
      headersTimeout: 0,
      // Silence is seen by `answering`: a timer of undici stays a second in its list, and so each gets into old memory.
      bodyTimeout: 0,
    }
    this.pool = new Pool(origin, { ...options, connections: CONNECTIONS_MAX })
    this.streams = new Pool(origin, { ...options, connections: STREAMS_MAX })
  }

  /** Takes no further requests; resolves when those under way are over. */
  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.streams.close()])
  }

  /** Ends everything under way. */
  async destroy(): Promise<void> {
    await Promise.all([this.pool.destroy(), this.streams.destroy()])
  }

  /** True when nothing speaks against sending a request there. */
  get isGood(): boolean {
    return this.health === 'ready' && !this.breaker.isOpen
  }
}
