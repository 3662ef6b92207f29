import type { Audit, AuditEntry } from '@platform/audit'
import { type Database, sql } from '@platform/database'
import { cancelled } from '../automations/active-run.ts'
import { storableJson } from '../contexts/storable.ts'
import type { RunRecord } from './run-record.ts'
import { recordColumns } from './run-record-store.ts'

export type RunChangeStore = ReturnType<typeof runChangeStore>

/** The run that somebody changes, and how the audit trail tells it. */
export interface RunChange {
  readonly workspaceId: string
  readonly runId: string
  readonly entry: AuditEntry
}

/** Where workers learn at once that a run is to end; its row says so as well. */
export const CANCELLED_RUNS = 'runtime.cancelled_runs'

/** One that was given back, and is queued again, has a `finally` to run as well. */
const isBegun = sql`(status = 'running' or (status = 'queued' and attempt > 0))`

/** What people change of runs. */
export const runChangeStore = (database: Database, audit: Pick<Audit, 'record'>) => ({
  /**
   * Ends a run that is queued, and asks the worker of one that has begun to end it. Undefined when the run has ended
   * already or is not there. Whichever comes second, this or the worker's claim or end, sees the other.
   */
  cancel: ({ workspaceId, runId, entry }: RunChange, reason: string): Promise<RunRecord | undefined> =>
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
      await audit.record(tx, entry)
      return run
    }),

  /** Queues a run like one that failed, under a new id. Undefined when there is none, or its input is not kept. */
  retry: ({ workspaceId, runId, entry }: RunChange, newId: string): Promise<RunRecord | undefined> =>
    database.transaction(async (tx) => {
      const [run] = await tx.many<RunRecord>(sql`
        insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, status,
          correlation_id, rank, input, origin_id, origin_kind)
        select ${newId}::uuid, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, 'queued',
          correlation_id, rank, input, id, 'retry'
        from runtime.runs
        where id = ${runId} and workspace_id = ${workspaceId} and status = 'failed' and input is not null
        returning ${recordColumns}`)
      if (run !== undefined) await audit.record(tx, entry)
      return run
    }),
})
