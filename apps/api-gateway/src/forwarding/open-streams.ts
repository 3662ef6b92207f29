import type { Exchange } from '../exchange.ts'
import { ByCredential } from './by-credential.ts'
import { CallerPlaces, type PlaceLimits } from './caller-places.ts'
import type { UpstreamHeaders } from './response-headers.ts'

/** Answers under way that have no end, for example event streams, and who asked for them. */
export class OpenStreams {
  readonly open = new ByCredential<Exchange>()
  readonly #places: CallerPlaces
  #isLeaving = false

  constructor(limits: PlaceLimits) {
    this.#places = new CallerPlaces('event stream', limits)
  }

  /** Takes a place for an answer that may have no end; the answer gives it back. Throws when there is none. */
  take(exchange: Exchange): () => void {
    return this.#places.take(exchange)
  }

  get count(): number {
    return this.open.size
  }

  /** An answer begins; what comes to an end by itself is not kept. */
  begun(exchange: Exchange, headers: UpstreamHeaders): void {
    if (!isStream(headers['content-type'])) return
    this.open.add(exchange, exchange)
    exchange.response.once('close', () => this.open.delete(exchange))
    // Its headers go out first: an answer that is ended before has none.
    if (this.#isLeaving) setImmediate(() => OpenStreams.end(exchange))
  }

  /**
   * Ends all, and each that begins from now on: else the process would wait for those that came back to it while it
   * drains.
   */
  leave(): void {
    this.#isLeaving = true
    for (const exchange of this.open.all()) OpenStreams.end(exchange)
  }

  /** Clients of an event stream throw away what is no whole event, and come back. */
  static end(exchange: Exchange): void {
    exchange.onAbandoned?.abandon()
    exchange.response.end()
  }
}

const isStream = (contentType: string | string[] | undefined): boolean =>
  typeof contentType === 'string' && contentType.startsWith('text/event-stream')
