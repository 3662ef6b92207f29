import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { breaksConnection } from './database-error.ts'
import type { PostgresSettings } from './postgres-settings.ts'
import { sql } from './sql.ts'
import { runStatement } from './statement.ts'
import type { ConnectionUser, SteadyConnection } from './steady-connection.ts'

const POLL_MS = 1000
const LOCK_MS = 1500
/** Failures in a row are reported this often. */
const REPORT_EVERY_MS = 30_000

type Work = (signal: AbortSignal) => Promise<void>

/**
 * Named locks that one session of the cluster has at a time. PostgreSQL frees them with the connection, and a session
 * may take a lock twice: `#leading` keeps one handle from leading twice under the same name.
 */
export class Leadership implements ConnectionUser {
  readonly #leading = new Map<string, AbortController>()
  readonly #running = new Set<AsyncDisposable>()
  readonly #reportedAt = new Map<string, number>()
  readonly #onFailure: PostgresSettings['onFailure']

  constructor(onFailure: PostgresSettings['onFailure']) {
    this.#onFailure = onFailure
  }

  async up(): Promise<void> {}

  down(): void {
    for (const lost of this.#leading.values()) lost.abort()
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
      if (connection !== undefined && !this.#leading.has(name))
        await this.#lead(connection, name, work, closing)
      await pause(POLL_MS * (0.9 + Math.random() / 5), undefined, { signal: closing }).catch(() => undefined)
    }
  }

  async #lead(connection: Connection, name: string, work: Work, closing: AbortSignal): Promise<void> {
    const lost = new AbortController()
    this.#leading.set(name, lost)
    try {
      if (!(await this.#tryLock(connection, name))) return
      const signal = AbortSignal.any([closing, lost.signal])
      // Failed or finished work gives the lock back, so that a healthier process may take over; the next poll tries
      // again.
      await Promise.resolve(signal)
        .then(work)
        .then(
          () => this.#reportedAt.delete(name),
          (err: unknown) =>
            signal.aborted || this.#report(name, err, 'work of a leader failed, it is begun again'),
        )
      await unlock(connection, name)
    } finally {
      this.#leading.delete(name)
    }
  }

  async #tryLock(connection: Connection, name: string): Promise<boolean> {
    const statement = sql`select pg_try_advisory_lock(hashtextextended(${name}, 0)) as held`
    try {
      const [row] = await runStatement<{ held: boolean }>(connection, statement, LOCK_MS)
      return row?.held === true
    } catch (err) {
      // A lost connection is opened again, and the work that needs it fails by itself.
      if (!breaksConnection(err)) this.#report(name, err, 'the lock of a leader could not be asked for')
      return false
    }
  }

  /** The first failure, and while they go on one now and again. */
  #report(leader: string, err: unknown, message: string): void {
    const now = performance.now()
    if (now - (this.#reportedAt.get(leader) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return
    this.#reportedAt.set(leader, now)
    this.#onFailure({ err, leader }, message)
  }
}

async function unlock(connection: Connection, name: string): Promise<void> {
  const statement = sql`select pg_advisory_unlock(hashtextextended(${name}, 0))`
  // With the connection gone the server has freed the lock already.
  await runStatement(connection, statement, LOCK_MS).catch(() => undefined)
}
