import type { Exchange } from '../exchange.ts'
import type { UpstreamHeaders } from './response-headers.ts'

/** Answers under way that have no end, for example event streams, and who asked for them. */
export class OpenStreams {
  readonly #exchanges = new Set<Exchange>()

  get count(): number {
    return this.#exchanges.size
  }

  /** An answer begins; what comes to an end by itself is not kept. */
  begun(exchange: Exchange, headers: UpstreamHeaders): void {
    if (!isStream(headers['content-type'])) return
    this.#exchanges.add(exchange)
    exchange.response.once('close', () => this.#exchanges.delete(exchange))
  }

  entries(): readonly Exchange[] {
    return [...this.#exchanges]
  }

  /** Clients of an event stream throw away what is no whole event, and come back. */
  static end(exchange: Exchange): void {
    exchange.onAbandoned?.abandon()
    exchange.response.end()
  }
}

const isStream = (contentType: string | string[] | undefined): boolean =>
  typeof contentType === 'string' && contentType.startsWith('text/event-stream')
