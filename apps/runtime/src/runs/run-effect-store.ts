import type { EventRecord } from '@platform/contracts'
import { join, type Queries, type Sql, sql } from '@platform/database'
import { wakeReaders } from '@platform/outbox'
import type { Effects } from '../automations/effect-buffer.ts'
import type { Segment } from '../automations/journal-entries.ts'
import type { QueuedRun, RunSubject } from '../automations/model.ts'
import type { StoredPatch } from '../contexts/context-store.ts'
import { storableJson } from '../contexts/storable.ts'
import { insertion } from './journal-store.ts'

/** How what runs did is written, each as part of a larger statement. */
export interface EffectWriters {
  /** The contexts know how changes are written. */
  readonly patches: (patches: readonly StoredPatch[]) => Sql
  readonly events: (events: readonly EventRecord[]) => Sql
}

/** A run, or a claim of one, with what it did. */
interface Acting {
  readonly id: string
  readonly effects: Effects
}

/** One statement of parts that each write something, and that is read no further. */
export const statementOf = (parts: readonly Sql[]): Sql =>
  sql`with ${join([...parts], ', ')} select 1 where false`

/** How far runs have come since their last commit; of those that say so. */
export const segmentsOf = (runs: readonly Acting[]): (Segment & { readonly runId: string })[] =>
  runs.flatMap(({ id: runId, effects: { segment } }) =>
    segment === undefined ? [] : [{ runId, ...segment }],
  )

/** The part of a statement that keeps how far runs have come; none where none of them says so. */
export function journalPart(runs: readonly Acting[]): Sql[] {
  const segments = segmentsOf(runs)
  return segments.length === 0 ? [] : [sql`journal as (${insertion(segments)})`]
}

/** The parts of a statement that write effects; none when there are none. */
export function effectParts(effects: readonly Effects[], write: EffectWriters): Sql[] {
  const events = effects.flatMap((one) => one.events)
  const queued = effects.flatMap((one) => one.queued)
  const patches = effects.flatMap((one) => one.patches)
  return [
    ...(events.length > 0 ? [sql`events as (${write.events(events)})`] : []),
    ...(queued.length > 0 ? [sql`queued as (${insertQueued(queued)})`] : []),
    ...(patches.length > 0 ? [sql`contexts as (${write.patches(patches)})`] : []),
  ]
}

/** Tells those who read events that there are some, when the transaction is committed. */
export function announceEvents(queries: Queries, effects: readonly Effects[]): void {
  if (effects.some(({ events }) => events.length > 0)) wakeReaders(queries)
}

/** Queues runs, as part of a larger statement; those that are queued already stay as they are. */
export function insertQueued(runs: readonly QueuedRun[]): Sql {
  const rows = runs.map(queuedRow)
  return sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, trigger_id, status,
      correlation_id, rank, input, ${callerNames})
    select r.id, r."workspaceId", r."automationSlug", r."triggerType", r."triggerValue", r."triggerId", 'queued',
      r."correlationId", coalesce(-r.priority, 0), r.input, ${callerValues}
    from json_to_recordset(${storableJson(rows)}::json) as r (id uuid, "workspaceId" text, "automationSlug" text,
      "triggerType" text, "triggerValue" text, "triggerId" text, "correlationId" text, priority smallint,
      input json, ${callerTypes})
    on conflict do nothing`
}

/** What started a run, as the columns of its row. */
export const triggerColumns = ({ type, value, id }: QueuedRun['trigger']) => ({
  triggerType: type,
  triggerValue: value,
  triggerId: id,
})

/** Of a run that another workspace has called. */
export const callerNames = sql`source_workspace_id, authenticated_workspace_id`
export const callerValues = sql`r."sourceWorkspaceId", r."authenticatedWorkspaceId"`
export const callerTypes = sql`"sourceWorkspaceId" text, "authenticatedWorkspaceId" text`

export const callerColumns = ({ sourceWorkspaceId, authenticatedWorkspaceId }: RunSubject) => ({
  sourceWorkspaceId,
  authenticatedWorkspaceId,
})

/** A run that has begun or is to begin, as columns of its row. */
export const queuedRow = <T extends Omit<QueuedRun, 'priority'>>({ trigger, ...run }: T) => ({
  ...run,
  ...triggerColumns(trigger),
  ...callerColumns(run.input.caller),
})
