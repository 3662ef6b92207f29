import type { Database, Queries } from './database.ts'
import { PRESENCE_LOCK } from './presence.ts'
import { sql } from './sql.ts'

/** Longer than a living process that lost its connection takes to connect anew. */
const GONE_AFTER_MS = 2500
/** The longest that a statement takes to fail that was under way when the database came back. */
const LAST_FAILURE_MS = 3000
/** A check that is so late says nothing about the time since the one before. */
const LATE_MS = 2000

/** What a check found. */
export interface HoldersFound {
  /** Those that are gone: what they have leased may be taken. */
  gone: number[]
  /** True when the database has responded for so long that no lease ended only because the database was away. */
  isSettled: boolean
}

/** Checks now and again which holders of leases live, and since when those that are missing are missing. */
export class HolderWatch {
  readonly #database: Pick<Database, 'many' | 'presence'>
  readonly #list: () => Promise<number[]>
  readonly #settledAfterMs: number
  readonly #missedSince = new Map<number, number>()
  readonly #now: () => number
  #answersSince: number | undefined
  #lookedAt = 0

  /**
   * `list` asks for the holders of all leases, by their presences. Leases are extended every `heartbeatMs`: after an
   * outage of the database living processes have done so within a heartbeat, and a statement that fails first.
   */
  constructor(
    database: Pick<Database, 'many' | 'presence'>,
    list: () => Promise<number[]>,
    heartbeatMs: number,
    now: () => number = () => performance.now(),
  ) {
    this.#database = database
    this.#list = list
    this.#settledAfterMs = heartbeatMs + LAST_FAILURE_MS
    this.#now = now
  }

  /**
   * Rejects while the database is away; what was missing before is then forgotten, since all other processes are cut
   * off as well.
   */
  async look(): Promise<HoldersFound> {
    if (this.#now() - this.#lookedAt > LATE_MS) this.#forget()
    try {
      const missing = await this.#missing()
      const now = this.#now()
      this.#lookedAt = now
      this.#answersSince ??= now
      return { gone: this.#goneOf(missing, now), isSettled: now - this.#answersSince >= this.#settledAfterMs }
    } catch (error) {
      this.#forget()
      throw error
    }
  }

  async #missing(): Promise<number[]> {
    const own = this.#database.presence().id()
    const others = (await this.#list()).filter((holder) => holder !== own)
    if (others.length === 0) return []
    const present = await listPresent(this.#database, others)
    return others.filter((holder) => !present.has(holder))
  }

  #goneOf(missing: readonly number[], now: number): number[] {
    const still = new Set(missing)
    for (const holder of this.#missedSince.keys()) if (!still.has(holder)) this.#missedSince.delete(holder)
    return missing.filter((holder) => {
      const since = this.#missedSince.get(holder) ?? now
      this.#missedSince.set(holder, since)
      return now - since >= GONE_AFTER_MS
    })
  }

  #forget(): void {
    this.#missedSince.clear()
    this.#answersSince = undefined
  }
}

/**
 * Read from the list of locks. Trying for a lock would take it for a moment, and others would see that.
 */
async function listPresent(queries: Pick<Queries, 'many'>, ids: readonly number[]): Promise<Set<number>> {
  const rows = await queries.many<{ id: number }>(sql`
    select distinct objid::bigint as id from pg_locks
    where locktype = 'advisory' and granted and classid = ${PRESENCE_LOCK}::oid and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
      and objid = any(${ids}::bigint[]::oid[])`)
  return new Set(rows.map(({ id }) => Number(id)))
}
