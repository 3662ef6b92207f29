import type { Job } from '@platform/service'
import type { Exchange, Step } from '../exchange.ts'
import { endRevoked } from './end-revoked.ts'
import type { UpstreamHeaders } from './forwarded-headers.ts'
import { OpenConnections, type OpenLimits } from './open-connections.ts'

/** Responses under way that have no end, for example event streams, and who asked for them. */
export class OpenStreams {
  readonly #open: OpenConnections<Exchange>
  #isLeaving = false

  constructor(limits: OpenLimits) {
    this.#open = new OpenConnections('event stream', limits)
  }

  /** Takes room for a response that may have no end; returns the function that gives it back. Throws without room. */
  take(exchange: Exchange): () => void {
    return this.#open.take(exchange)
  }

  get count(): number {
    return this.#open.count
  }

  /** A response begins; one that comes to an end by itself is not listed. */
  begun(exchange: Exchange, headers: UpstreamHeaders): void {
    if (!isStream(headers['content-type'])) return
    this.#open.add(exchange, exchange)
    exchange.response.once('close', () => this.#open.delete(exchange))
    // Its headers go out first: a response that is ended before has none.
    if (this.#isLeaving) setImmediate(() => end(exchange))
  }

  /** The job that ends streams whose session, token or key has ended meanwhile. */
  job(identify: Step): Job {
    return endRevoked('check-event-streams', this.#open, identify, end)
  }

  /**
   * Ends all, and each that begins from now on: else the process would wait for those that came back to it while it
   * drains.
   */
  leave(): void {
    this.#isLeaving = true
    for (const exchange of this.#open.all()) end(exchange)
  }
}

/** Clients of an event stream throw away what is no whole event, and come back. */
function end(exchange: Exchange): void {
  exchange.onAbandoned?.abandon()
  exchange.response.end()
}

/** True for a response whose events come one by one. */
export const isStream = (contentType: string | string[] | undefined): boolean =>
  typeof contentType === 'string' && contentType.startsWith('text/event-stream')
