import type { ServerResponse } from 'node:http'

/** What may wait for one reader; who takes less is cut. */
const BUFFER_BYTES = 1_000_000
const BUFFER_EVENTS = 1000
/** How long a client that catches up may take for what it was sent last. */
const PATIENCE_MS = 10_000

/** The response of one event stream, with an end to what waits in it. */
export class EventWriter {
  readonly #response: ServerResponse
  readonly #patienceMs: number
  /** Events written since the client had taken everything. */
  #waiting = 0

  constructor(response: ServerResponse, patienceMs: number = PATIENCE_MS) {
    this.#response = response
    this.#patienceMs = patienceMs
    response.on('drain', () => {
      this.#waiting = 0
    })
  }

  /** False when the client is too far behind: then nothing of the frame is written. */
  write(frame: Buffer): boolean {
    const waits = this.#response.writableLength
    if (waits > 0 && (waits + frame.length > BUFFER_BYTES || this.#waiting >= BUFFER_EVENTS)) return false
    this.#waiting = waits === 0 ? 1 : this.#waiting + 1
    this.#response.write(frame)
    return true
  }

  /** A comment: no event for the client, and a sign of life for proxies. */
  comment(text: string): void {
    if (this.#response.writableLength === 0) this.#response.write(text)
  }

  /** Resolves when the client has taken what it was sent, or is gone; with false when it takes too long. */
  drained(): Promise<boolean> {
    const response = this.#response
    if (!response.writableNeedDrain || response.destroyed) return Promise.resolve(true)
    return new Promise((resolve) => {
      const settle = (isTaken: boolean) => {
        clearTimeout(timer)
        response.off('drain', taken).off('close', taken)
        resolve(isTaken)
      }
      const taken = () => settle(true)
      const timer = setTimeout(settle, this.#patienceMs, false)
      response.on('drain', taken).on('close', taken)
    })
  }

  /** The client gets what was written; then it is over. */
  end(): void {
    this.#response.end()
  }
}
