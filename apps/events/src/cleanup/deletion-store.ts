import type { Audit } from '@platform/audit'
import { type Database, type Queries, sql } from '@platform/database'

export type DeletionStore = ReturnType<typeof deletionStore>

const living = sql`
  exists (select from permissions.workspaces w where w.id = workspace_id and w.deleted_at is null)`

/** Those workspaces that are deleted and will lose their events. */
export async function scheduledAmong(database: Queries, ids: readonly string[]): Promise<Set<string>> {
  const rows = await database.many<{ id: string }>(sql`
    select workspace_id as id from events.scheduled_deletions
    where workspace_id = any(${ids}::text[]) and not ${living}`)
  return new Set(rows.map(({ id }) => id))
}

/** Which workspaces will lose their events. The shared schema permissions says which are deleted. */
export const deletionStore = ({ database, audit }: { database: Database; audit: Audit }) => ({
  /** Schedules the deleted ones, or those of `ids` that are deleted; one that was deleted again counts from then. */
  scheduleTrash: (ids: readonly string[] | undefined) =>
    database.many(sql`
      insert into events.scheduled_deletions as known (workspace_id, deleted_at)
      select id, deleted_at from permissions.workspaces
      where deleted_at is not null and (${ids ?? null}::text[] is null or id = any(${ids ?? null}::text[]))
      on conflict (workspace_id) do update set deleted_at = excluded.deleted_at
      where known.deleted_at < excluded.deleted_at`),

  /** Schedules workspaces that are gone altogether, as if they were deleted now. */
  scheduleLost: (ids: readonly string[], now: Date) =>
    database.many(sql`
      insert into events.scheduled_deletions (workspace_id, deleted_at)
      select lost.id, ${now}::timestamptz from unnest(${ids}::text[]) as lost (id)
      where not exists (select from permissions.workspaces w where w.id = lost.id)
      on conflict (workspace_id) do nothing`),

  scheduledAmong: (ids: readonly string[]) => scheduledAmong(database, ids),

  /** Scheduled ones that live again, or those among `ids`. */
  async listRevived(ids: readonly string[] | undefined): Promise<string[]> {
    const rows = await database.many<{ id: string }>(sql`
      select workspace_id as id from events.scheduled_deletions
      where ${living} and (${ids ?? null}::text[] is null or workspace_id = any(${ids ?? null}::text[]))
      order by workspace_id limit 1000`)
    return rows.map(({ id }) => id)
  },

  /** Those deleted before, the first first. */
  async listDue(before: Date, limit: number): Promise<string[]> {
    const rows = await database.many<{ id: string }>(sql`
      select workspace_id as id from events.scheduled_deletions
      where deleted_at < ${before} and not ${living} order by deleted_at, workspace_id limit ${limit}`)
    return rows.map(({ id }) => id)
  },

  /** Forgets the schedule of a workspace that lives again. */
  cancel: (id: string) =>
    database.many(sql`delete from events.scheduled_deletions where workspace_id = ${id} and ${living}`),

  /** Forgets the schedule of a workspace whose events are gone, and writes down that they were deleted. */
  finish: (id: string) =>
    database.transaction(async (tx) => {
      await tx.many(sql`delete from events.scheduled_deletions where workspace_id = ${id}`)
      await audit.record(tx, { action: 'events.deleted', actor: 'platform', subject: `workspace:${id}` })
    }),
})
