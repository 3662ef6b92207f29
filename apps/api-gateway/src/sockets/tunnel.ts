import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** How long a client is given to take the last bytes. */
const LINGER_MS = 1000

/** Why a tunnel is ended by us (RFC 6455 7.4.1). */
export const closeCodes = { goingAway: 1001, policyViolation: 1008 } as const

/** Two connections whose bytes go through untouched, each as fast as the other takes them. */
export class Tunnel {
  readonly #client: Socket
  readonly #service: Duplex
  readonly #edges = new FrameEdges()
  #isOver = false

  /** `done` is called once, when both have ended. */
  constructor(client: Socket, service: Duplex, idleMs: number, done: () => void) {
    this.#client = client
    this.#service = service
    let open = 2
    const onClose = () => {
      this.#cut()
      open -= 1
      if (open === 0) done()
    }
    for (const end of [client, service]) end.on('error', () => end.destroy()).once('close', onClose)
    client.setTimeout(idleMs).on('timeout', () => this.end(closeCodes.goingAway))
    service.on('data', (chunk: Buffer) => {
      this.#edges.passed(chunk)
      if (!client.write(chunk)) service.pause()
    })
    client.on('drain', () => service.resume())
    // A WebSocket is never half open: the side that ends it has sent everything and reads nothing more.
    service.once('end', () => client.destroySoon())
    client.once('end', () => service.end(() => service.destroy()))
    client.pipe(service, { end: false })
  }

  /** Tells the client why, between two frames; in the middle of one there is no way to say it. Then ends both. */
  end(code: number): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#service.pause()
    if (this.#edges.isBetweenFrames && this.#client.writable) this.#client.write(closeFrame(code))
    this.#client.unpipe(this.#service)
    this.#client.end()
    this.#client.resume()
    this.#service.destroy()
    setTimeout(() => this.#client.destroy(), LINGER_MS).unref()
  }

  #cut(): void {
    this.#isOver = true
    this.#client.destroySoon()
    this.#service.destroy()
  }
}

/** Lengths above 125 are in the bytes behind the second one (RFC 6455 5.2). */
const LENGTH_IN_2 = 126
const LENGTH_IN_8 = 127

/** Follows the frames that a server sends, to know where one may be put between them. Only counts are stored. */
export class FrameEdges {
  /** Bytes of the payload that are still to come. */
  #payload = 0
  /** Bytes of the header that came, and how many there will be. */
  #headerBytes = 0
  #headerLength = 2

  /** True when a whole number of frames went by. */
  get isBetweenFrames(): boolean {
    return this.#payload === 0 && this.#headerBytes === 0
  }

  passed(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length) {
      if (this.#payload > 0) {
        const part = Math.min(this.#payload, chunk.length - at)
        this.#payload -= part
        at += part
      } else {
        this.#header(chunk[at] ?? 0)
        at += 1
      }
    }
  }

  #header(byte: number): void {
    this.#headerBytes += 1
    if (this.#headerBytes === 2) this.#beginLength(byte & 0x7f, (byte & 0x80) !== 0)
    else if (this.#headerBytes > 2 && this.#headerBytes <= this.#lengthEnd)
      this.#length = this.#length * 256 + byte
    if (this.#headerBytes < this.#headerLength) return
    this.#payload = this.#length
    this.#headerBytes = 0
    this.#headerLength = 2
    this.#length = 0
  }

  #length = 0
  #lengthEnd = 2

  #beginLength(code: number, isMasked: boolean): void {
    const extra = code === LENGTH_IN_2 ? 2 : code === LENGTH_IN_8 ? 8 : 0
    this.#length = extra === 0 ? code : 0
    this.#lengthEnd = 2 + extra
    this.#headerLength = 2 + extra + (isMasked ? 4 : 0)
  }
}

/** A close frame of a server: why it ends (RFC 6455 7.4). */
export function closeFrame(code: number): Buffer {
  return Buffer.from([0x88, 2, code >> 8, code & 0xff])
}
