import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { bodyTooLarge } from '@platform/http'

/**
 * The body of a request that is streamed to a service. It stands between the two because undici destroys what it
 * sends as soon as the service has responded, while the client's connection must live on; nothing of the request is
 * read before undici asks for it, and never faster than the service reads.
 */
export class Upload extends Readable {
  readonly #request: IncomingMessage
  readonly #limitBytes: number
  #bytes = 0
  #isReading = false
  #movedAt = 0

  constructor(request: IncomingMessage, limitBytes: number) {
    super({ highWaterMark: 65_536 })
    this.#request = request
    this.#limitBytes = limitBytes
  }

  /**
   * True while the service is not the one who is waited for: the client is, or the service has taken more since (Unix
   * milliseconds).
   */
  goesOn(since: number): boolean {
    if (!this.#isReading || this.#request.readableEnded) return false
    return this.#movedAt > since || !this.#request.isPaused()
  }

  override _read(): void {
    if (this.#isReading) {
      this.#request.resume()
      return
    }
    this.#isReading = true
    this.#request.on('data', this.#onData).on('end', this.#onEnd)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#request.off('data', this.#onData).off('end', this.#onEnd)
    if (!this.#request.readableEnded) this.#request.pause()
    done(error)
  }

  /** Counted while it streams: a length was checked before, a chunked body has none. */
  readonly #onData = (chunk: Buffer): void => {
    this.#bytes += chunk.length
    this.#movedAt = Date.now()
    if (this.#bytes > this.#limitBytes) this.destroy(bodyTooLarge(this.#limitBytes))
    else if (!this.push(chunk)) this.#request.pause()
  }

  readonly #onEnd = (): void => {
    this.push(null)
  }
}

/**
 * Reads a small body whole, then calls `done`; it is never called when the client leaves before the end. A body in
 * one piece leaves together with its headers, which costs half of a stream, and a slow client occupies no connection to
 * a service busy.
 */
export function gatherBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
}
