import { type Database, type Queries, type Sql, sql } from '@platform/database'
import { cancelled } from '../automations/active-run-parts.ts'
import type { Segment } from '../automations/journal-entries.ts'
import type { RunInput } from '../automations/model.ts'
import { storableJson } from '../contexts/storable.ts'
import { insertSegments } from './journal-store.ts'
import { type RunEnd, WOKEN_RUNS } from './run.ts'
import { type RunPlace, type RunRecord, retriedBefore, retryNotEnded } from './run-record.ts'
import { lockRetries, recordColumns } from './run-record-store.ts'

export type RunChangeStore = ReturnType<typeof runChangeStore>

/** The run that somebody changes. */
export interface RunChange extends RunPlace {
  /** Notes in the same transaction that it was changed. */
  readonly note: (tx: Queries) => Promise<unknown>
}

/** Why a run is cancelled that another waited for. */
export const CALLER_ENDED = 'The run that waited for it has ended.'

export type DefinitionOfRun = 'original' | 'current'

/** How a run is made from another. */
export interface NewRun {
  readonly id: string
  readonly way: 'retry' | 'replay' | 'fork'
  readonly input: RunInput
  /** Of its workspace; null where it begins with the automations that are there then. */
  readonly revision: number | null
  /** How far the other had come with what is not done again; of one that has ended, what it is looked at by. */
  readonly segments?: readonly Segment[] | undefined
  /** Of a retry: it is the first, or those before were cancelled. Throws where it is not. */
  readonly isFirst?: boolean | undefined
  /** Set where it has ended already. */
  readonly end?: RunEnd | undefined
}

/** Where workers learn at once that a run is to end; its row says so as well. */
export const CANCELLED_RUNS = 'runtime.cancelled_runs'

/** It stands at a `wait`, or is about to go on behind one. */
const isParked = sql`(status = 'waiting' and waits_for in ('event', 'time', 'worker'))`

/** One that waits, or was given back and is queued again, has a `finally` to run as well. */
const isBegun = sql`(status = 'running' or (status = 'queued' and attempt > 0) or ${isParked})`

/** It is in an index of its own. */
const isAwaitedBy = (callerId: string): Sql => sql`
  trigger_id = ${callerId} and trigger_type = 'automation' and source_workspace_id is not null
  and finished_at is null and input ->> 'isAwaited' = 'true' and cancel_requests is null`

async function cancelRuns(tx: Queries, which: Sql, reason: string): Promise<RunRecord[]> {
  const runs = await tx.many<RunRecord>(sql`
    update runtime.runs set
      status = case when ${isBegun} then status else 'cancelled' end,
      finished_at = case when ${isBegun} then null else now() end,
      error = case when ${isBegun} then null else ${storableJson(cancelled(reason))}::jsonb end,
      due_at = null, wakes_at = null, waits_for = case when ${isParked} then 'worker' end,
      cancel_requests = least(coalesce(cancel_requests, 0) + 1, 2),
      cancel_reason = coalesce(cancel_reason, ${reason})
    where ${which} and status in ('queued', 'waiting', 'running')
    returning ${recordColumns}`)
  for (const { id, status, finishedAt } of runs) {
    if (status === 'running') tx.notify(CANCELLED_RUNS, id)
    else if (finishedAt === null) tx.notify(WOKEN_RUNS, id)
  }
  return runs
}

function requireRetriable(last: RunRecord['retriedBy'], id: string, isFirst: boolean): void {
  if (last === null || last.runId === id) return
  if (isUnderWay(last.status)) throw retryNotEnded(last)
  if (isFirst && last.status !== 'cancelled') throw retriedBefore(last)
}

const isUnderWay = (status: RunRecord['status']): boolean =>
  status === 'queued' || status === 'running' || status === 'waiting'

/** What people change of runs. */
export const runChangeStore = (database: Database) => ({
  /**
   * Ends a run that is queued, and asks the worker of one that has begun to end it; one that waits goes on for that.
   * Undefined when the run has ended
   * already or is not there. Whichever comes second, this or the worker's claim or end, sees the other.
   */
  cancel: (
    { workspaceId, runId, note }: RunPlace & Partial<RunChange>,
    reason: string,
  ): Promise<RunRecord | undefined> =>
    database.transaction(async (tx) => {
      const [run] = await cancelRuns(tx, sql`id = ${runId} and workspace_id = ${workspaceId}`, reason)
      if (run !== undefined) await note?.(tx)
      return run
    }),

  /** The same of runs in other workspaces that this one waits for, which has ended. Nobody may do it again. */
  cancelAwaited: (callerId: string): Promise<unknown> =>
    database.transaction((tx) => cancelRuns(tx, isAwaitedBy(callerId), CALLER_ENDED)),

  /**
   * Makes a run like one that has ended, with its input. Undefined when there is none, or it was made already. Throws
   * where it is a retry and another one is under way.
   */
  again: (
    { workspaceId, runId, note }: RunChange,
    { id, way, input, revision, segments = [], end, isFirst = false }: NewRun,
  ): Promise<RunRecord | undefined> =>
    database.transaction(async (tx) => {
      if (way === 'retry') requireRetriable(await lockRetries(tx, { workspaceId, runId }), id, isFirst)
      const [run] = await tx.many<RunRecord>(sql`
        insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id,
          correlation_id, rank, input, origin_id, origin_kind, origin_way, revision,
          status, attempt, started_at, finished_at, duration_ms, error)
        select ${id}::uuid, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id,
          correlation_id, rank, coalesce(input, ${storableJson(input)}::json), id, 'retry', ${way}, ${revision}::bigint,
          ${stateOf(segments, end)}
        from runtime.runs
        where id = ${runId} and workspace_id = ${workspaceId} and finished_at is not null
        on conflict do nothing
        returning ${recordColumns}`)
      if (run === undefined) return undefined
      await insertSegments(
        tx,
        segments.map((one) => ({ runId: id, ...one })),
      )
      await note(tx)
      return run
    }),
})

/** What has a journal already is not at its first attempt: whoever claims it reads that. */
const stateOf = (segments: readonly Segment[], end: RunEnd | undefined): Sql =>
  end === undefined
    ? sql`'queued', ${segments.length === 0 ? 0 : 1}::int, null, null, null, null`
    : sql`${end.status}, 1, now(), now(), ${end.durationMs}::int,
        ${end.error === undefined ? null : storableJson(end.error)}::jsonb`
