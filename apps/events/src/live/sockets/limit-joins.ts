import { Failure } from '@platform/kernel'
import type { Socket, Server as SocketServer } from 'socket.io'

/** Workspaces one connection may follow. */
export const NAMESPACES_MAX = 50
/** One that moves from workspace to workspace for hours asks this often again. */
const EVERY_MS = 1000
/** The first character of a packet of socket.io that asks to join a namespace. */
const CONNECT = '0'

/** The part of a connection of engine.io that says what arrives. */
interface Connection {
  on(event: 'packet', listener: (packet: { type: string; data?: unknown }) => void): void
  close(): void
  setMaxListeners(count: number): void
}

/** How often a connection may still ask to join. */
class Joins {
  #left = NAMESPACES_MAX
  #countedAt = performance.now()

  take(): boolean {
    const now = performance.now()
    this.#left = Math.min(NAMESPACES_MAX, this.#left + (now - this.#countedAt) / EVERY_MS)
    this.#countedAt = now
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }
}

/**
 * Closes a connection that asks to join more often than anybody needs to. It is counted as it arrives, whatever it
 * names: what is asked for in vain costs a namespace, a look at permissions and an answer as well.
 */
export function limitJoins(io: SocketServer): void {
  io.engine.on('connection', (connection: Connection) => {
    const joins = new Joins()
    connection.setMaxListeners(2 * NAMESPACES_MAX)
    connection.on('packet', ({ type, data }) => {
      const asks = type === 'message' && typeof data === 'string' && data.startsWith(CONNECT)
      if (asks && !joins.take()) connection.close()
    })
  })
}

/** Joins that are being looked at, of each connection. */
const opening = new WeakMap<Socket['client'], number>()

/**
 * Opens a socket unless its connection follows, or is about to follow, enough already. Rejects with TooManyRequests.
 */
export async function withinJoinLimit<T>({ client, conn }: Socket, open: () => Promise<T>): Promise<T> {
  const { sockets } = client as unknown as { sockets: ReadonlyMap<string, unknown> }
  const others = opening.get(client) ?? 0
  // The connection may have been closed by what it sent right before.
  if (sockets.size + others >= NAMESPACES_MAX || conn.readyState !== 'open')
    throw new Failure('TooManyRequests', `A connection follows ${NAMESPACES_MAX} workspaces at most.`)
  opening.set(client, others + 1)
  try {
    return await open()
  } finally {
    // It counts as joined two turns later; until then it counts here.
    setImmediate(() => opening.set(client, (opening.get(client) ?? 1) - 1))
  }
}
