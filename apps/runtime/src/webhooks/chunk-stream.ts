import type { ServerResponse } from 'node:http'

const KEEP_ALIVE = '{"keepAlive":true}'

/**
 * Server-sent events to the caller of a URL trigger: as fast as it takes them, and until it leaves. What is sent to one
 * that has left is dropped.
 */
export class ChunkStream {
  readonly #attached = Promise.withResolvers<ServerResponse | undefined>()
  #response: ServerResponse | undefined
  #keepAlive: NodeJS.Timeout | undefined
  readonly #gone: AbortSignal

  /** `gone` aborts when the caller leaves before the response has begun. */
  constructor(gone: AbortSignal) {
    this.#gone = gone
    if (gone.aborted) this.#attached.resolve(undefined)
    gone.addEventListener('abort', () => this.#attached.resolve(undefined), { once: true })
  }

  /** The headers are out: what is sent from now on, and was before, is written here. */
  attach(response: ServerResponse): void {
    this.#response = response
    response.once('close', () => clearInterval(this.#keepAlive))
    this.#attached.resolve(response)
  }

  /** Sends one frame; resolves when the reader has room for the next, or has left. */
  async send(json: string): Promise<void> {
    const response = this.#response ?? (await this.#attached.promise)
    if (response === undefined || response.destroyed || response.writableEnded) return
    if (response.write(`data: ${json}\n\n`)) return
    await new Promise<void>((resolve) => {
      const settle = () => {
        response.off('drain', settle).off('close', settle)
        resolve()
      }
      response.on('drain', settle).on('close', settle)
    })
  }

  /** Sends a sign of life so often, while the reader takes what it is sent. */
  keepAlive(everyMs: number): void {
    clearInterval(this.#keepAlive)
    if (this.#gone.aborted) return
    this.#keepAlive = setInterval(() => {
      if (this.#response?.writableLength === 0) void this.send(KEEP_ALIVE)
    }, everyMs)
    this.#keepAlive.unref()
  }

  /** Ends the stream, with a last frame if there is one. */
  async end(json?: string): Promise<void> {
    clearInterval(this.#keepAlive)
    if (json !== undefined) await this.send(json)
    const response = await this.#attached.promise
    if (response !== undefined && !response.writableEnded) response.end()
  }
}
