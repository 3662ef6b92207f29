import { type Database, sql } from '@platform/database'

const LONG_MS = 60_000

export type CollectionUpkeepStore = ReturnType<typeof collectionUpkeepStore>

/** What keeps the tables of collections in order, over all workspaces. */
export const collectionUpkeepStore = (database: Database) => ({
  async countRecords(): Promise<void> {
    await database.many(
      sql`
        update runtime.collections c set records = n.count
        from (select collection_id, count(*) as count from runtime.records group by 1) n
        where n.collection_id = c.id and c.records <> n.count`,
      { timeoutMs: LONG_MS },
    )
  },

  /** Some records of workspaces that were deleted before then. Answers how many went. */
  async deleteRecordsOfDeleted(before: Date, limit: number): Promise<number> {
    const rows = await database.many(sql`
      delete from runtime.records where (collection_id, id) in (
        select r.collection_id, r.id from runtime.collections c join runtime.records r on r.collection_id = c.id
        where ${isGone(before)} limit ${limit})
      returning 1`)
    return rows.length
  },

  async deleteCollectionsOfDeleted(before: Date): Promise<void> {
    await database.many(sql`delete from runtime.collections c where ${isGone(before)}`)
  },
})

const isGone = (before: Date) => sql`not exists (
  select from permissions.workspaces w
  where w.id = c.workspace_id and (w.deleted_at is null or w.deleted_at > ${before}))`
