import { type Database, one, type Queries, sql } from '@platform/database'

/**
 * A log restored from a dump into another server has transaction ids of the old one, and what is written now would
 * sort before the cursors and never be read. Then everything is put in the order of its position and read again from
 * the start: handlers are idempotent. Returns whether the log was restored.
 */
export async function adoptRestoredLog(database: Database): Promise<boolean> {
  if (!(await isRestored(database))) return false
  return await database.transaction(adopt, { timeoutMs: 120_000 })
}

async function isRestored(queries: Queries): Promise<boolean> {
  const row = await one<{ restored: boolean }>(
    queries,
    sql`
      select exists (select 1 from outbox.consumers where xid > pg_snapshot_xmax(pg_current_snapshot()))
        or exists (select 1 from outbox.events where xid > pg_snapshot_xmax(pg_current_snapshot())) as restored`,
  )
  return row.restored
}

async function adopt(tx: Queries): Promise<boolean> {
  await tx.many(sql`lock table outbox.consumers in exclusive mode`)
  // Another reader may have been faster.
  if (!(await isRestored(tx))) return false
  // 3 is the first transaction id of any server.
  await tx.many(sql`update outbox.events set xid = '3'`)
  await tx.many(sql`update outbox.consumers set xid = '0', position = 0, stream_id = null`)
  await tx.many(sql`delete from outbox.stream_positions`)
  return true
}
