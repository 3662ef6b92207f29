import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { sql } from './sql.ts'
import { runStatement } from './statement.ts'
import type { ConnectionUser, SteadyConnection } from './steady-connection.ts'

const POLL_MS = 1000
const LOCK_MS = 1500

type Work = (signal: AbortSignal) => Promise<void>

/**
 * Named locks that one session of the cluster holds at a time. PostgreSQL frees them with the connection, and a session may take
 * a lock twice: `#held` keeps one handle from leading twice under the same name.
 */
export class Leadership implements ConnectionUser {
  readonly #held = new Map<string, AbortController>()
  readonly #running = new Set<AsyncDisposable>()

  async up(): Promise<void> {}

  down(): void {
    for (const lost of this.#held.values()) lost.abort()
  }

  whileLeader(steady: SteadyConnection, name: string, work: Work): AsyncDisposable {
    steady.start()
    const closing = new AbortController()
    const running = this.#contend(steady, name, work, closing.signal)
    const leadership = {
      [Symbol.asyncDispose]: async () => {
        closing.abort()
        await running
        this.#running.delete(leadership)
      },
    }
    this.#running.add(leadership)
    return leadership
  }

  /** Gives every lock back and waits for the work to end. */
  async close(): Promise<void> {
    await Promise.all([...this.#running].map((leadership) => leadership[Symbol.asyncDispose]()))
  }

  async #contend(steady: SteadyConnection, name: string, work: Work, closing: AbortSignal): Promise<void> {
    await steady.attempted()
    while (!closing.aborted) {
      const connection = steady.current()
      if (connection !== undefined && !this.#held.has(name)) await this.#lead(connection, name, work, closing)
      await pause(POLL_MS * (0.9 + Math.random() / 5), undefined, { signal: closing }).catch(() => undefined)
    }
  }

  async #lead(connection: Connection, name: string, work: Work, closing: AbortSignal): Promise<void> {
    const lost = new AbortController()
    this.#held.set(name, lost)
    try {
      if (!(await tryLock(connection, name))) return
      const signal = AbortSignal.any([closing, lost.signal])
      // Failed or finished work gives the lock back, so that a healthier process may take over; the next poll tries again.
      await Promise.resolve(signal)
        .then(work)
        .catch(() => undefined)
      await unlock(connection, name)
    } finally {
      this.#held.delete(name)
    }
  }
}

async function tryLock(connection: Connection, name: string): Promise<boolean> {
  const statement = sql`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as held`
  const [row] = await runStatement<{ held: boolean }>(connection, statement, LOCK_MS).catch(() => [])
  return row?.held === true
}

async function unlock(connection: Connection, name: string): Promise<void> {
  const statement = sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`
  // With the connection gone the server has freed the lock already.
  await runStatement(connection, statement, LOCK_MS).catch(() => undefined)
}
