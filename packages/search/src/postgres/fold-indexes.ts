import { setTimeout as pause } from 'node:timers/promises'
import { type Database, sql } from '@platform/database'

/** New entries gather for so long: folding many at once costs less than folding each. */
const GATHER_MS = 500
const FOLD_MS = 10_000
/**
 * Kilobytes of new entries that an index keeps unfolded before PostgreSQL folds them itself. Its default of 4,096 is
 * full four times a second.
 */
const UNFOLDED_KB = 32_768

/** SQL that lets the appends of a transaction leave their entries for `IndexFolding`. */
export const leaveUnfolded = sql`set_config('gin_pending_list_limit', ${String(UNFOLDED_KB)}, true)`

/**
 * Puts the new entries of the indexes over words and fields where they belong, on another connection than the one that
 * appends: that is half of the work of storing a document, and all events wait for the appends. Searches find what
 * isn't folded yet all the same.
 */
export class IndexFolding implements AsyncDisposable {
  readonly #database: Database
  readonly #closing = new AbortController()
  #isWanted = false
  #folding: Promise<void> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  /** Folds soon, once for all that ask meanwhile; resolves when it is done. */
  ask(): Promise<void> {
    this.#isWanted = true
    this.#folding ??= this.#foldWhileWanted().finally(() => {
      this.#folding = undefined
    })
    return this.#folding
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#folding
  }

  async #foldWhileWanted(): Promise<void> {
    const { signal } = this.#closing
    while (this.#isWanted && !signal.aborted) {
      await pause(GATHER_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      this.#isWanted = false
      // What isn't folded here is folded by an append or a vacuum; an outage is reported by those who need the
      // database for more.
      await fold(this.#database).catch(() => undefined)
    }
  }
}

const fold = (database: Database): Promise<unknown> =>
  database.many(
    sql`
      select gin_clean_pending_list(pg_index.indexrelid)
      from pg_inherits
      join pg_index on pg_index.indrelid = pg_inherits.inhrelid
      join pg_class on pg_class.oid = pg_index.indexrelid
      join pg_am on pg_am.oid = pg_class.relam
      where pg_inherits.inhparent = 'search.documents'::regclass and pg_am.amname = 'gin'`,
    { timeoutMs: FOLD_MS },
  )
