import { getRun, type Run } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { insertEvents } from '@platform/outbox'
import { expect, vi } from 'vitest'
import { upsertPatches } from '../src/contexts/context-store.ts'
import type { EffectWriters } from '../src/runs/run-effect-store.ts'
import type { TestRuntime } from './testing.ts'

/** How a store that is tried without a service writes what runs did. */
export const effectWriters: EffectWriters = {
  patches: upsertPatches,
  events: (events) => insertEvents(events),
}

/** What a test changes of a run; the rest is a URL run that succeeded. */
export interface TestRun {
  id?: string
  automationSlug?: string
  status?: Run['status']
  triggerType?: Run['trigger']['type']
  triggerValue?: string
  correlationId?: string
  deadLetter?: boolean
  originId?: string
  error?: Record<string, unknown>
  input?: unknown
}

let made = 0

/** Writes runs into the table, each a millisecond after the one before; answers their ids. */
export async function insertRuns(
  database: Database,
  workspaceId: string,
  runs: readonly TestRun[],
): Promise<string[]> {
  const rows = runs.map((run) => {
    made += 1
    return { id: uuidv7(Date.now() + made), ...run }
  })
  await database.many(sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id,
      dead_letter, origin_id, origin_kind, error, input, created_at, started_at, finished_at, duration_ms)
    select r.id, ${workspaceId}, coalesce(r."automationSlug", 'work'), coalesce(r."triggerType", 'endpoint'),
      coalesce(r."triggerValue", 'work'), coalesce(r.status, 'succeeded'), coalesce(r."correlationId", r.id::text),
      coalesce(r."deadLetter", false), r."originId", case when r."originId" is not null then 'retry' end, r.error,
      r.input, now(), now(), case when s.has_ended then now() end, case when s.has_ended then 5 end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id uuid, "automationSlug" text, "triggerType" text,
      "triggerValue" text, status text, "correlationId" text, "deadLetter" boolean, "originId" uuid, error jsonb,
      input json),
      lateral (select coalesce(r.status, 'succeeded') not in ('queued', 'running') as has_ended) s`)
  return rows.map(({ id }) => id)
}

/** The run once it has ended, as its workspace's owner reads it. */
export const endedRun = (runtime: TestRuntime, workspaceId: string, runId: string): Promise<Run> =>
  vi.waitFor(
    async () => {
      const run = await runtime.as({})(getRun, { params: { workspaceId, runId } })
      expect(run.finishedAt).not.toBeNull()
      return run
    },
    { timeout: 10_000, interval: 20 },
  )
