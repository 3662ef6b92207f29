import { type Database, type Queries, sql } from '@platform/database'
import type { BulkAction } from './run-record-store.ts'

export type BulkStore = ReturnType<typeof bulkStore>

/** What somebody asked for many runs. */
export interface BulkJob {
  readonly id: string
  readonly workspaceId: string
  readonly action: BulkAction
  readonly definition: 'original' | 'current'
  readonly reason: string
}

export interface BulkProgress {
  readonly action: BulkAction
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export const bulkStore = (database: Database) => ({
  insert: (job: BulkJob, runIds: readonly string[], note: (tx: Queries) => Promise<unknown>): Promise<void> =>
    database.transaction(async (tx) => {
      await tx.many(sql`
        insert into runtime.bulk_jobs (id, workspace_id, action, definition, reason, total)
        values (${job.id}, ${job.workspaceId}, ${job.action}, ${job.definition}, ${job.reason}, ${runIds.length})`)
      await tx.many(sql`
        insert into runtime.bulk_runs (job_id, run_id) select ${job.id}::uuid, unnest(${runIds}::uuid[])`)
      await note(tx)
    }),

  async findProgress(workspaceId: string, id: string): Promise<BulkProgress | undefined> {
    const [row] = await database.many<BulkProgress>(sql`
      select action, total, created_at as "createdAt", finished_at as "finishedAt",
        (select count(*)::int from runtime.bulk_runs r where r.job_id = j.id and is_done) as done,
        (select count(*)::int from runtime.bulk_runs r where r.job_id = j.id and not is_done) as failed
      from runtime.bulk_jobs j where id = ${id} and workspace_id = ${workspaceId}`)
    return row
  },

  /**
   * Leases the job that has waited longest. One whose workspace has that many runs queued waits for them: nothing else
   * of the workspace is to stand behind ten thousand.
   */
  async lease(leaseSeconds: number, mostQueued: number): Promise<BulkJob | undefined> {
    const [job] = await database.many<BulkJob>(sql`
      update runtime.bulk_jobs j set leased_until = now() + ${leaseSeconds} * interval '1 second', worked_at = now()
      where id = (
        select id from runtime.bulk_jobs o
        where finished_at is null and (leased_until is null or leased_until < now())
          and (action = 'cancel' or (select count(*) from (
            select 1 from runtime.runs r where r.status = 'queued' and r.workspace_id = o.workspace_id
            limit ${mostQueued}) ahead) < ${mostQueued})
        order by worked_at limit 1 for update skip locked)
      returning id, workspace_id as "workspaceId", action, definition, reason`)
    return job
  },

  async listLeft(jobId: string, limit: number): Promise<string[]> {
    const rows = await database.many<{ id: string }>(sql`
      select run_id as id from runtime.bulk_runs where job_id = ${jobId} and is_done is null
      order by run_id limit ${limit}`)
    return rows.map(({ id }) => id)
  },

  /** Gives the job back; it is finished when nothing is left of it. */
  giveBack: (jobId: string): Promise<unknown> =>
    database.many(sql`
      update runtime.bulk_jobs set leased_until = null, finished_at = case when not exists (
        select from runtime.bulk_runs where job_id = ${jobId} and is_done is null) then now() end
      where id = ${jobId}`),

  async deleteOld(limit: number): Promise<number> {
    const rows = await database.many(sql`
      delete from runtime.bulk_jobs where id in (
        select id from runtime.bulk_jobs where finished_at < now() - interval '7 days' limit ${limit})
      returning 1`)
    return rows.length
  },
})

/** Notes what became of one run of a job. */
export const noteBulkRun = (
  queries: Queries,
  jobId: string,
  runId: string,
  isDone: boolean,
): Promise<unknown> =>
  queries.many(sql`
    update runtime.bulk_runs set is_done = ${isDone} where job_id = ${jobId} and run_id = ${runId} and is_done is null`)
