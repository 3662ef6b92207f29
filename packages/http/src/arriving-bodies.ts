import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '@platform/contracts'
import { hasBody } from './body.ts'
import { holdsBodyBack } from './expect-continue.ts'

/** A request whose body is on its way. */
interface Arriving {
  request: IncomingMessage
  /** What had come over its connection when it was last allowed more time. */
  bytes: number
  /** How long its client may still take for the next part. */
  leftMs: number
}

const LOOK_MS = 1000

/**
 * Bodies must keep a pace: each part of `limits.bodyBytes` must come, or the body end, within `timeoutMs` of the part
 * before. What is no upload is there within that time as a whole (reliability T-DOS-1), an upload may take as long as
 * it likes while it goes on. Only time in which we were ready to read counts: a service that reads slowly is no fault
 * of the client. Looked at by one timer, so that a request costs next to nothing.
 */
export class ArrivingBodies {
  readonly #timeoutMs: number
  readonly #tooSlow: (socket: Socket) => void
  /** The last body of each connection: they come one after the other. */
  readonly #bodies = new Map<Socket, Arriving>()
  readonly #timer: NodeJS.Timeout
  #lookedAt = performance.now()

  /** `tooSlow` is called once with the connection of each body that did not keep the pace. */
  constructor(timeoutMs: number, tooSlow: (socket: Socket) => void) {
    this.#timeoutMs = timeoutMs
    this.#tooSlow = tooSlow
    this.#timer = setInterval(() => this.#look(), Math.min(LOOK_MS, timeoutMs / 10))
    this.#timer.unref()
  }

  /** Watches the body of a request whose headers have just come. */
  watch(request: IncomingMessage): void {
    if (!hasBody(request)) return
    const { socket } = request
    this.#bodies.set(socket, { request, bytes: socket.bytesRead, leftMs: this.#timeoutMs })
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    // When this process itself stood still, bytes may have come that it has not seen.
    const passedMs = Math.min(now - this.#lookedAt, 2 * LOOK_MS)
    this.#lookedAt = now
    for (const [socket, body] of this.#bodies) {
      if (body.request.complete || socket.destroyed) this.#bodies.delete(socket)
      else if (!isHeldUp(body.request)) this.#judge(socket, body, passedMs)
    }
  }

  #judge(socket: Socket, body: Arriving, passedMs: number): void {
    body.leftMs -= passedMs
    if (socket.bytesRead - body.bytes >= limits.bodyBytes) {
      body.bytes = socket.bytesRead
      body.leftMs = this.#timeoutMs
    } else if (body.leftMs <= 0) {
      this.#bodies.delete(socket)
      this.#tooSlow(socket)
    }
  }
}

/** True while the client could not send if it wanted to: nobody reads, or nobody has asked it to begin. */
const isHeldUp = (request: IncomingMessage): boolean => request.socket.isPaused() || holdsBodyBack(request)
