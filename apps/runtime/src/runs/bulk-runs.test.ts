import { bulkRuns, getBulkRuns, listRuns } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertRuns } from '../../test/runs.ts'
import { runtimeDatabaseUrl, startRuntime, type TestRuntime } from '../../test/testing.ts'

/** Takes what is asked and does nothing of it: its jobs run once an hour. */
let idle: TestRuntime
let databaseUrl: string

beforeAll(async () => {
  databaseUrl = await runtimeDatabaseUrl()
  idle = await startRuntime({
    databaseUrl,
    everyMs: { 'change-many-runs': 3_600_000 },
    env: { RUN_CONCURRENCY: '0' },
  })
})
afterAll(() => idle[Symbol.asyncDispose]())

const SOON = { timeout: 20_000, interval: 50 }
const input = { payload: {}, caller: {}, depth: 0 }
const failed = (count: number) => Array.from({ length: count }, () => ({ status: 'failed' as const, input }))

type Order = Parameters<typeof send>[1]
const send = (
  workspaceId: string,
  body: {
    action: 'replay' | 'retry' | 'cancel'
    filter: object
    definition?: 'current'
    plan?: boolean
    reason?: string
  },
  userId = 'ada',
) => idle.as({ userId })(bulkRuns, { params: { workspaceId }, body: body as never })

const progress = (workspaceId: string, jobId = '') =>
  idle.as({})(getBulkRuns, { params: { workspaceId, jobId } })
const finished = (workspaceId: string, jobId: string | undefined) =>
  vi.waitFor(async () => {
    const found = await progress(workspaceId, jobId)
    expect(found.finishedAt).not.toBeNull()
    return found
  }, SOON)
const statuses = async (workspaceId: string) => {
  const rows = await idle.database.many<{ status: string; count: number }>(sql`
    select status, count(*)::int as count from runtime.runs where workspace_id = ${workspaceId} group by status`)
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

describe('acting on many runs', () => {
  test('counts those to which it can be done, and does nothing where it is only a plan', async () => {
    const { id } = await idle.workspace({ work: {} })
    await insertRuns(idle.database, id, [...failed(3), { status: 'failed' }, { status: 'succeeded', input }])
    const plan = async (order: Omit<Order, 'plan'>) => (await send(id, { ...order, plan: true })).matched
    expect(await plan({ action: 'retry', filter: {} })).toBe(3)
    expect(await plan({ action: 'replay', filter: {} })).toBe(4)
    expect(await plan({ action: 'replay', filter: { status: 'succeeded' } })).toBe(1)
    expect(await plan({ action: 'cancel', filter: {} })).toBe(0)
    expect(await statuses(id)).toEqual({ failed: 4, succeeded: 1 })
  })

  test('retries what was there when it was accepted, each once, though its process dies', async () => {
    const { id } = await idle.workspace({ work: {} })
    await insertRuns(idle.database, id, failed(120))
    const { matched, jobId = '' } = await send(id, { action: 'retry', filter: { status: 'failed' } })
    expect(matched).toBe(120)
    await insertRuns(idle.database, id, failed(1))
    expect(await progress(id, jobId)).toMatchObject({
      action: 'retry',
      total: 120,
      done: 0,
      failed: 0,
      finishedAt: null,
    })
    // As a process leaves it that has died in the middle of a batch.
    await idle.database.many(
      sql`update runtime.bulk_jobs set leased_until = now() + interval '300 milliseconds'`,
    )
    {
      await using _one = await startRuntime({ databaseUrl })
      await using _two = await startRuntime({ databaseUrl })
      expect(await finished(id, jobId)).toMatchObject({ done: 120, failed: 0 })
      await vi.waitFor(async () => expect(await statuses(id)).toEqual({ failed: 121, succeeded: 120 }), SOON)
    }
    const [made] = await idle.database.many<{ origins: number }>(sql`
      select count(distinct origin_id)::int as origins from runtime.runs
      where workspace_id = ${id} and origin_id is not null`)
    expect(made).toEqual({ origins: 120 })
    expect(
      await idle.database.many(
        sql`select action, details from audit.entries where subject = ${`bulk:${jobId}`}`,
      ),
    ).toEqual([
      { action: 'runs.changed', details: JSON.stringify({ action: 'retry', matched: 120, workspaceId: id }) },
    ])
  }, 60_000)

  test('retries a run once, however often that is asked for', async () => {
    const { id } = await idle.workspace({ work: { do: [{ wait: { timeout: 60 } }] } })
    await insertRuns(idle.database, id, failed(2))
    const order = { action: 'retry', filter: { status: 'failed' } } as const
    const first = await send(id, order)
    // Accepted before the first has come to anything.
    const second = await send(id, order)
    expect([first.matched, second.matched]).toEqual([2, 2])
    {
      await using _worker = await startRuntime({ databaseUrl, env: { RUN_CONCURRENCY: '0' } })
      expect(await finished(id, first.jobId)).toMatchObject({ done: 2 })
      expect(await finished(id, second.jobId)).toMatchObject({ done: 0, failed: 2 })
    }
    expect(await send(id, order)).toEqual({ matched: 0 })
  }, 30_000)

  test('retries the last of several tries', async () => {
    const { id } = await idle.workspace({ work: {} })
    const origins = await insertRuns(idle.database, id, failed(4))
    const [succeeded = '', again = '', cancelled = ''] = origins
    await insertRuns(idle.database, id, [
      { originId: succeeded, status: 'succeeded', input },
      { originId: again, status: 'failed', input },
      { originId: cancelled, status: 'cancelled', input },
    ])
    // Instead of the second its retry; the third, and the fourth, which nobody has retried.
    expect(await send(id, { action: 'retry', filter: {}, plan: true })).toEqual({ matched: 3 })
  })

  test('refuses a definition beside what takes none', async () => {
    const { id } = await idle.workspace({ work: {} })
    await expect(send(id, { action: 'retry', filter: {}, definition: 'current' })).rejects.toMatchObject({
      name: 'RequestValidationError',
      details: [{ path: 'body.definition', message: 'is for replay only: leave it out' }],
    })
  })

  test('cancels, and counts what has ended meanwhile as failed', async () => {
    const { id } = await idle.workspace({ work: {} })
    const [ends = ''] = await insertRuns(
      idle.database,
      id,
      Array.from({ length: 3 }, () => ({ status: 'queued' as const })),
    )
    const { jobId } = await send(id, { action: 'cancel', filter: {}, reason: 'all wrong' })
    await idle.database.many(
      sql`update runtime.runs set status = 'succeeded', finished_at = now() where id = ${ends}`,
    )
    await using _worker = await startRuntime({ databaseUrl, env: { RUN_CONCURRENCY: '0' } })
    expect(await finished(id, jobId)).toMatchObject({ done: 2, failed: 1 })
    expect(await statuses(id)).toEqual({ cancelled: 2, succeeded: 1 })
    const { runs } = await idle.as({})(listRuns, {
      params: { workspaceId: id },
      query: { status: 'cancelled' },
    })
    expect(runs[0]?.error?.message).toBe('The run was cancelled: all wrong')
  }, 30_000)

  test('of one workspace does not hold up that of another, nor what else it has queued', async () => {
    const [crowded, quiet] = [await idle.workspace({ work: {} }), await idle.workspace({ work: {} })]
    await insertRuns(idle.database, crowded.id, failed(600))
    await insertRuns(idle.database, quiet.id, failed(2))
    await send(crowded.id, { action: 'retry', filter: {} })
    const { jobId } = await send(quiet.id, { action: 'retry', filter: {} })
    await using _worker = await startRuntime({ databaseUrl, env: { RUN_CONCURRENCY: '0' } })
    expect(await finished(quiet.id, jobId)).toMatchObject({ done: 2 })
    const queuedOfCrowded = async () => (await statuses(crowded.id)).queued ?? 0
    await vi.waitFor(async () => expect(await queuedOfCrowded()).toBeGreaterThan(100))
    expect(await queuedOfCrowded()).toBeLessThanOrEqual(250)
  }, 30_000)

  test('is refused for more than ten thousand runs', async () => {
    const { id } = await idle.workspace({ work: {} })
    await idle.database.many(sql`
      insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id)
      select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, ${id}, 'work', 'event', 'go', 'queued', 'c'
      from generate_series(1, 10001) n`)
    await expect(send(id, { action: 'cancel', filter: {} })).rejects.toMatchObject({
      name: 'RequestValidationError',
      message: expect.stringContaining('more than 10000 runs'),
    })
  }, 30_000)

  test('is for those who may', async () => {
    const { id } = await idle.workspace({ work: {} })
    await expect(send(id, { action: 'cancel', filter: {} }, 'eve')).rejects.toMatchObject({ status: 404 })
    await expect(send(id, { action: 'cancel', filter: { colour: 'red' } })).rejects.toMatchObject({
      status: 400,
    })
  })
})
