import { type Database, type Queries, sql } from '@platform/database'
import { cancelled } from '../automations/active-run.ts'
import { storableJson } from '../contexts/storable.ts'
import type { RunRecord } from './run-record.ts'
import { recordColumns } from './run-record-store.ts'

export type RunChangeStore = ReturnType<typeof runChangeStore>

/** The run that somebody changes. */
export interface RunChange {
  readonly workspaceId: string
  readonly runId: string
  /** Notes in the same transaction that it was changed. */
  readonly note: (tx: Queries) => Promise<unknown>
}

/** How a run is made from another. */
export interface NewRun {
  readonly id: string
  readonly way: 'retry' | 'replay'
  readonly definition: 'original' | 'current'
}

/** Where workers learn at once that a run is to end; its row says so as well. */
export const CANCELLED_RUNS = 'runtime.cancelled_runs'

/** One that was given back, and is queued again, has a `finally` to run as well. */
const isBegun = sql`(status = 'running' or (status = 'queued' and attempt > 0))`

/** What people change of runs. */
export const runChangeStore = (database: Database) => ({
  /**
   * Ends a run that is queued, and asks the worker of one that has begun to end it. Undefined when the run has ended
   * already or is not there. Whichever comes second, this or the worker's claim or end, sees the other.
   */
  cancel: ({ workspaceId, runId, note }: RunChange, reason: string): Promise<RunRecord | undefined> =>
    database.transaction(async (tx) => {
      const [run] = await tx.many<RunRecord>(sql`
        update runtime.runs set
          status = case when ${isBegun} then status else 'cancelled' end,
          finished_at = case when ${isBegun} then null else now() end,
          error = case when ${isBegun} then null else ${storableJson(cancelled(reason))}::jsonb end,
          due_at = null, waits_for = null,
          cancel_requests = least(coalesce(cancel_requests, 0) + 1, 2),
          cancel_reason = coalesce(cancel_reason, ${reason})
        where id = ${runId} and workspace_id = ${workspaceId} and status in ('queued', 'waiting', 'running')
        returning ${recordColumns}`)
      if (run === undefined) return undefined
      if (run.status === 'running') tx.notify(CANCELLED_RUNS, run.id)
      await note(tx)
      return run
    }),

  /**
   * Queues a run like one that has ended, or failed where it is a retry, under a new id. Undefined when there is none,
   * its input is not kept, or it was made already.
   */
  again: (
    { workspaceId, runId, note }: RunChange,
    { id, way, definition }: NewRun,
  ): Promise<RunRecord | undefined> =>
    database.transaction(async (tx) => {
      const ended = way === 'retry' ? ['failed'] : ['succeeded', 'failed', 'cancelled']
      const [run] = await tx.many<RunRecord>(sql`
        insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, status,
          correlation_id, rank, input, origin_id, origin_kind, origin_way, revision)
        select ${id}::uuid, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, 'queued',
          correlation_id, rank, input, id, 'retry', ${way}, case when ${definition === 'original'} then revision end
        from runtime.runs
        where id = ${runId} and workspace_id = ${workspaceId} and status = any(${ended}::text[]) and input is not null
        on conflict (id) do nothing
        returning ${recordColumns}`)
      if (run !== undefined) await note(tx)
      return run
    }),
})
