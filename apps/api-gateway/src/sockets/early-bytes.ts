import type { Socket } from 'node:net'

/** More than a first frame; a client has to wait for the response before it sends any (RFC 6455 4.1). */
const EARLY_MAX_BYTES = 65_536

/**
 * Reads from a client while its handshake waits for the service: a connection that is not read
 * does not show that its client has left. What the client sends too early is buffered, up to a bound.
 */
export class EarlyBytes {
  readonly #socket: Socket
  readonly #chunks: Buffer[]
  #size: number

  /** `head` is what came right behind the handshake. */
  constructor(socket: Socket, head: Buffer) {
    this.#socket = socket
    this.#chunks = [head]
    this.#size = head.length
    socket.on('data', this.#buffer).on('end', this.#leave)
  }

  /** Reads no further, and gives what came to who goes on. */
  take(): Buffer {
    this.#socket.off('data', this.#buffer).off('end', this.#leave).pause()
    return Buffer.concat(this.#chunks)
  }

  readonly #buffer = (chunk: Buffer): void => {
    this.#size += chunk.length
    if (this.#size > EARLY_MAX_BYTES) this.#socket.destroy()
    else this.#chunks.push(chunk)
  }

  readonly #leave = (): void => void this.#socket.destroy()
}
