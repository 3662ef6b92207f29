import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime, type TestRuntime } from '../../test/testing.ts'

/** Leases count as run out once living workers have had the time to extend theirs: the shorter they are, the sooner. */
const SHORT_LEASES = { RUN_LEASE_SECONDS: '1' }

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: SHORT_LEASES })
})
afterAll(() => runtime[Symbol.asyncDispose]())

/** A run that an unknown worker holds, whose lease is over. */
async function abandon(workspaceId: string, deaths: number): Promise<void> {
  const event = emittedEvent(workspaceId, 'never delivered')
  await runtime.database.many(sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id,
      attempt, deaths, worker, leased_until, input)
    values (${event.id}, ${workspaceId}, 'work', 'event', 'x', 'running', 'corr', 1, ${deaths}, 'dead',
      now() - interval '1 second',
      ${JSON.stringify({ payload: {}, caller: {}, depth: 0 })})`)
}

/** Resolves with the only run of a workspace once it is over. */
async function ended(workspaceId: string) {
  const read = () =>
    runtime.database.many<{ status: string; attempt: number; deadLetter: boolean }>(sql`
      select status, attempt, dead_letter as "deadLetter" from runtime.runs
      where workspace_id = ${workspaceId} and finished_at is not null`)
  return await vi.waitFor(
    async () => {
      const runs = await read()
      expect(runs).toHaveLength(1)
      return runs[0]
    },
    { timeout: 15_000, interval: 50 },
  )
}

describe('a run whose worker died', () => {
  test('is done by another one', async () => {
    const workspace = await runtime.workspace({ work: { do: [{ emit: { event: 'done' } }] } })
    await abandon(workspace.id, 0)
    expect(await ended(workspace.id)).toMatchObject({ status: 'succeeded', attempt: 2 })
    expect(await runtime.events(workspace.id, 'done')).toHaveLength(1)
  })

  test('again and again is put aside and told', async () => {
    const workspace = await runtime.workspace({ work: { do: [{ emit: { event: 'done' } }] } })
    await abandon(workspace.id, 4)
    expect(await ended(workspace.id)).toMatchObject({ status: 'failed', deadLetter: true })
    expect(await runtime.events(workspace.id)).toMatchObject([
      { type: 'error', payload: { type: 'TooManyAttempts' } },
    ])
  })
})
