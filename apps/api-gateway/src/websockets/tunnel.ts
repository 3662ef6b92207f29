import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeFrame, FrameEdges } from './frame-edges.ts'

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
    // A WebSocket is never half open: who ends its side has said everything and hears nothing more.
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
