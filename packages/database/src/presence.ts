import { randomInt } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Presence } from './database.ts'
import { breaksConnection } from './database-error.ts'
import { sql } from './sql.ts'
import { runStatement } from './statement.ts'
import type { ConnectionUser } from './steady-connection.ts'

const ANNOUNCE_MS = 1500
const LARGEST_ID = 2 ** 31 - 1
/** The first half of the locks' keys, the letters "here": no other lock of the platform has two halves. */
export const PRESENCE_LOCK = 0x68657265

/**
 * Announces a process by a lock on its steady connection, which the server frees as soon as the process is gone. The
 * lock is shared, so that a process that connects anew has it at once, also while the server has not yet noticed that
 * the old connection is lost.
 */
export class AnnouncedPresence implements Presence, ConnectionUser {
  readonly #id = randomInt(1, LARGEST_ID)
  readonly #listeners = new Set<() => void>()
  #isAnnounced = false

  id(): number | null {
    return this.#isAnnounced ? this.#id : null
  }

  onLost(onLost: () => void): Disposable {
    this.#listeners.add(onLost)
    return { [Symbol.dispose]: () => void this.#listeners.delete(onLost) }
  }

  /** A server that refuses the lock, because it has too many, is still good for the other users of the connection. */
  async up(connection: Connection): Promise<void> {
    try {
      this.#isAnnounced = (await isDirect(connection)) && (await announce(connection, this.#id))
    } catch (error) {
      if (breaksConnection(error)) throw error
    }
  }

  down(): void {
    if (!this.#isAnnounced) return
    this.#isAnnounced = false
    for (const onLost of this.#listeners) onLost()
  }
}

/**
 * A pooler between makes up the number of the session: a lock would then live as long as a connection of the pooler,
 * not of ours.
 */
async function isDirect(connection: Connection): Promise<boolean> {
  const [session] = await runStatement<{ pid: number }>(
    connection,
    sql`select pg_backend_pid() as pid`,
    ANNOUNCE_MS,
  )
  return session !== undefined && session.pid === connection.serverProcess
}

async function announce(connection: Connection, id: number): Promise<boolean> {
  const statement = sql`select pg_try_advisory_lock_shared(${PRESENCE_LOCK}, ${id}) as held`
  const [row] = await runStatement<{ held: boolean }>(connection, statement, ANNOUNCE_MS)
  return row?.held === true
}
