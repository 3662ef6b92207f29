import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { expect, vi } from 'vitest'
import { emittedEvent, type TestAutomations, type TestRuntime } from './testing.ts'

export type Step = Record<string, unknown>

/** Emits events of users of the workspace, and wakes nobody: readers look by themselves. */
export async function emit(
  { database }: Pick<TestRuntime, 'database'>,
  workspaceId: string,
  type: string,
  payload: unknown = {},
) {
  const event = emittedEvent(workspaceId, type, payload)
  await database.many(insertEvents([event]))
  database.notify('outbox')
  return event
}

export interface RunRow {
  readonly id: string
  readonly slug: string
  readonly status: string
  readonly waitsFor: string | null
  readonly attempt: number
  readonly error: { message: string } | null
}

export const runRows = (runtime: Pick<TestRuntime, 'database'>, workspaceId: string): Promise<RunRow[]> =>
  runtime.database.many(sql`
    select id, automation_slug as slug, status, waits_for as "waitsFor", attempt, error from runtime.runs
    where workspace_id = ${workspaceId} order by id`)

/** Resolves once so many runs of the workspace stand at a `wait`, given up by their processes. */
export const parkedRuns = (
  runtime: Pick<TestRuntime, 'database'>,
  workspaceId: string,
  count = 1,
): Promise<RunRow[]> =>
  vi.waitFor(
    async () => {
      const parked = (await runRows(runtime, workspaceId)).filter(
        ({ status, waitsFor }) => status === 'waiting' && (waitsFor === 'event' || waitsFor === 'time'),
      )
      expect(parked).toHaveLength(count)
      return parked
    },
    { timeout: 10_000, interval: 10 },
  )

/** The payloads of the events of a type, once there are so many. */
export const told = (
  runtime: TestRuntime,
  workspaceId: string,
  type: string,
  count = 1,
): Promise<unknown[]> =>
  vi.waitFor(
    async () => {
      const events = await runtime.events(workspaceId, type)
      expect(events.length).toBeGreaterThanOrEqual(count)
      return events.map(({ payload }) => payload)
    },
    { timeout: 10_000, interval: 10 },
  )

/** A workspace whose automation `main` does these steps when `go` is emitted. */
export const workspaceOf = (runtime: TestRuntime, steps: Step[], others: TestAutomations = {}) =>
  runtime.workspace({ main: { when: { events: ['go'] }, do: steps }, ...others })
