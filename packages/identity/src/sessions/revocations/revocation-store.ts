import { type Database, type Queries, sql } from '@platform/database'

export type RevocationStore = ReturnType<typeof revocationStore>

/** Polls must be over well before the revocations count as unknown. */
const POLL_TIMEOUT_MS = 1000

/** What every instance has to forget. */
export const revocationStore = (database: Database) => ({
  insert: (ids: readonly string[], queries: Queries = database) =>
    queries.many(sql`insert into gateway.revocations (id) select unnest(${ids}::text[])`),

  /** Ids noted in the last `seconds`, by the clock of the database. */
  async listRecent(seconds: number): Promise<string[]> {
    const rows = await database.many<{ id: string }>(
      sql`select distinct id from gateway.revocations
        where revoked_at > clock_timestamp() - make_interval(secs => ${seconds})`,
      { timeoutMs: POLL_TIMEOUT_MS },
    )
    return rows.map(({ id }) => id)
  },

  /** Rows older than a day have been seen by everybody. */
  deleteOld: () =>
    database.many(
      sql`delete from gateway.revocations where revoked_at < clock_timestamp() - interval '1 day'`,
    ),
})
