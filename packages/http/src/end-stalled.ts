import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A connection and what its client had taken when it was last looked at. */
interface Watched {
  readonly socket: Socket
  taken: number
  /** Looks in a row at which nothing more had been taken of what waits. */
  stalled: number
}

const LOOKS = 3

/**
 * Ends connections whose client takes nothing at all of an answer that waits for it, after `stalledMs` (to a third of
 * it). Silence while nothing waits is allowed: an event stream waits for its next event. Looked at by one timer, so
 * that a request costs nothing.
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
