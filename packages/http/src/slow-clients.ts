import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '@platform/contracts'
import { hasBody, holdsBodyBack } from './body.ts'

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
 * Ends connections whose client sends a body too slowly. Each part of `limits.bodyBytes` must come, or the body end,
 * within `timeoutMs` of the part before: an ordinary body is there within that time as a whole, and an upload may take
 * as long as it likes while it goes on. Only the time in which we were ready to read counts: a service that reads
 * slowly is no fault of the client. One timer looks at all connections, so that a request costs next to nothing.
 */
export class BodyPace {
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
    // When this process itself stood still, bytes may have come that it has not read yet.
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

/** True while the client can't send: the connection is not read, or the client was not asked to begin. */
const isHeldUp = (request: IncomingMessage): boolean => request.socket.isPaused() || holdsBodyBack(request)

/** A connection and how many bytes its client had taken at the last look. */
interface Watched {
  readonly socket: Socket
  taken: number
  /** Looks in a row at which nothing more had been taken of what waits. */
  stalled: number
}

const LOOKS = 3

/**
 * Ends connections whose client reads nothing at all of a response that waits for it, after `stalledMs` (to a third of
 * it). Silence while nothing waits is allowed: an event stream waits for its next event. One timer looks at all
 * connections, so that a request costs nothing.
 */
export function endStalled(server: Server, stalledMs: number): void {
  const watched = new Map<Socket, Watched>()
  server.on('connection', (socket: Socket) => {
    // One that comes back after an offer of HTTP/2 was ignored.
    if (watched.has(socket)) return
    watched.set(socket, { socket, taken: 0, stalled: 0 })
    socket.once('close', () => watched.delete(socket))
  })
  const timer = setInterval(() => {
    for (const one of watched.values()) look(one)
  }, stalledMs / LOOKS)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

function look(one: Watched): void {
  const { socket } = one
  const waiting = socket.writableLength
  const taken = socket.bytesWritten - waiting
  one.stalled = waiting > 0 && taken === one.taken ? one.stalled + 1 : 0
  one.taken = taken
  if (one.stalled >= LOOKS) socket.destroy()
}
