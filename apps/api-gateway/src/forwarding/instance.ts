import { createHash } from 'node:crypto'
import { SlotList } from '@platform/kernel'
import { Pool } from 'undici'
import { Link } from './link.ts'

/** Connections to one instance; further requests wait for one of them. */
const CONNECTIONS_MAX = 512
const CONNECT_MS = 1000
/** Responses without an end at once; as many as a server takes connections. */
const STREAMS_MAX = 10_000

/** Requests in a row that lose their connection before an instance counts as broken. */
const LOST_MAX = 5

/**
 * What the last probe said: takes requests; finishes those it has; accepts connections but says nothing; refuses
 * whatever comes because it starts. Or that it was not asked since it is there, and may still be starting.
 */
export type Health = 'ready' | 'draining' | 'frozen' | 'starting' | 'unasked'

/** A request that waits for the first byte of its response. */
export interface Waiting {
  /** When it was sent, or when the last piece of its body was; Unix milliseconds. */
  readonly waitingSince: number
  readonly timeoutMs: number
  /** Nothing came in time. */
  expire(): void
  /** The instance can't be reached any more. */
  disconnect(): void
}

/** A response that has begun and isn't whole yet. */
export interface OpenResponse {
  /** When something of it came last; Unix milliseconds, never while the client is the slow one. */
  readonly silentSince: number
  /** Nothing came for too long. */
  cut(): void
}

/**
 * Whether requests may be sent to one instance. It opens when no connection can be made, or when connections are lost
 * again and again; then it lets one request at a time through, and closes with the first response to one, or to a
 * probe.
 */
class Breaker {
  #isOpen = false
  #lost = 0
  #isTrying = false
  /** How often it has opened. */
  opened = 0

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** True when a request may be sent now. Asked only of an open one, it is that one request. */
  admits(): boolean {
    if (!this.#isOpen) return true
    if (this.#isTrying) return false
    this.#isTrying = true
    return true
  }

  /** Something responded. */
  succeeded(): void {
    this.#isOpen = false
    this.#isTrying = false
    this.#lost = 0
  }

  /** The trial ended without telling anything about the instance: its client left. */
  abandoned(): void {
    this.#isTrying = false
  }

  /** No connection could be made: nothing can be sent there. */
  unreachable(): void {
    if (!this.#isOpen) this.opened += 1
    this.#isOpen = true
    this.#isTrying = false
  }

  /** A connection ended before the response. Once may mean only that the instance closed an idle connection. */
  lost(): void {
    this.#lost += 1
    this.#isTrying = false
    if (this.#lost >= LOST_MAX) this.unreachable()
  }

  /** True while nothing has gone wrong: a good response then changes nothing. */
  get isHealthy(): boolean {
    return !this.#isOpen && this.#lost === 0
  }
}

/** One address of a service and what is known of it. */
export class Instance {
  readonly origin: string
  /** The name a certificate must be for, where the origin is an address a name was resolved to. */
  readonly servername: string | undefined
  /** What it is called among the instances of its service: the same at every gateway that knows it by this address. */
  readonly tag: string
  readonly pool: Pool
  /** For responses that have no end, which would use up the connections of the others. */
  readonly streams: Pool
  /** Carries requests that come whole, where instances are called over links, and without TLS. */
  readonly link: Link | undefined
  readonly breaker = new Breaker()
  /** Requests that were sent and have no first byte yet. */
  readonly waiting = new SlotList<Waiting>()
  /** Responses on their way. */
  readonly responses = new SlotList<OpenResponse>()
  /** Requests and upgraded connections under way. */
  outstanding = 0
  health: Health
  isProbing = false
  /** When it was last asked whether it takes requests; Unix milliseconds. */
  probedAt = 0

  /** With `linkKey`, the internal key, over a link. */
  constructor(
    origin: string,
    {
      servername,
      health = 'ready',
      linkKey,
    }: { servername?: string; health?: Health; linkKey?: string } = {},
  ) {
    this.origin = origin
    this.health = health
    this.link =
      linkKey === undefined || !origin.startsWith('http:')
        ? undefined
        : new Link(origin, linkKey, () => {
            // It is probed before its turn.
            this.probedAt = 0
          })
    this.servername = servername
    this.tag = createHash('sha256').update(origin).digest('hex').slice(0, 12)
    const options = {
      // A stuck response must not delay another.
      pipelining: 1,
      connect: { timeout: CONNECT_MS, ...(servername === undefined ? {} : { servername }) },
      // Shorter than the services' own, so that a connection is never closed under a request.
      keepAliveTimeout: 60_000,
      keepAliveMaxTimeout: 60_000,
      // The first byte is waited for by `waiting`, which also sees requests that have no connection yet.
      headersTimeout: 0,
      // Silence is seen by `responses`: a timer of undici stays a second in its list, and so each gets into old memory.
      bodyTimeout: 0,
    }
    this.pool = new Pool(origin, { ...options, connections: CONNECTIONS_MAX })
    this.streams = new Pool(origin, { ...options, connections: STREAMS_MAX })
  }

  /** Takes no further requests; resolves when those under way are over. */
  async close(): Promise<void> {
    this.link?.close()
    await Promise.all([this.pool.close(), this.streams.close()])
  }

  /** Ends everything under way. */
  async destroy(): Promise<void> {
    this.link?.destroy()
    await Promise.all([this.pool.destroy(), this.streams.destroy()])
  }

  /** False while a process starts there: it refuses at once, and so would seem to be the least busy of all. */
  get canServe(): boolean {
    return this.health !== 'starting' && this.health !== 'unasked'
  }

  /** True when nothing speaks against sending a request there. */
  get isGood(): boolean {
    return this.health === 'ready' && !this.breaker.isOpen
  }
}
