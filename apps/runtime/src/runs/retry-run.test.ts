import { listRuns, type Run, retryRun } from '@platform/contracts'
import { sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { endedRun, insertRuns } from '../../test/runs.ts'
import { emittedEvent, startRuntime, type TestRuntime } from '../../test/testing.ts'

let runtime: TestRuntime

beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

const retry = (workspaceId: string, runId: string, userId = 'ada') =>
  runtime.as({ userId })(retryRun, { params: { workspaceId, runId } })

const input = { payload: { payload: { n: 7 } }, caller: { userId: 'ada' }, depth: 0 }

const ended = (workspaceId: string, runId: string) => endedRun(runtime, workspaceId, runId)

describe('retrying a run', () => {
  test('runs it again from its beginning, with its input and the automation as it is now', async () => {
    const workspace = await runtime.workspace({
      main: { when: { events: ['go'] }, do: [{ emit: { event: 'tried' } }, { missing: {} }] },
    })
    const event = emittedEvent(workspace.id, 'go', { n: 7 })
    await runtime.database.many(insertEvents([event]))
    const failed = await vi.waitFor(
      async () => {
        const { runs } = await runtime.as({})(listRuns, {
          params: { workspaceId: workspace.id },
          query: { status: 'failed' },
        })
        expect(runs).toHaveLength(1)
        return runs[0]
      },
      { timeout: 10_000 },
    )
    const repaired = { emit: { event: 'tried', payload: { n: '{{payload.n}}' } } }
    await workspace.save({ main: { when: { events: ['go'] }, do: [repaired] } })

    const { run } = await retry(workspace.id, failed?.id ?? '')

    expect(run).toMatchObject({
      status: 'queued',
      automationSlug: 'main',
      trigger: failed?.trigger,
      correlationId: failed?.correlationId,
      origin: { runId: failed?.id, kind: 'retry' },
      error: null,
    })
    expect(await ended(workspace.id, run.id)).toMatchObject({ status: 'succeeded' })
    const tried = await runtime.events(workspace.id, 'tried')
    expect(tried.map(({ payload }) => payload)).toEqual([{}, { n: 7 }])
    expect(await ended(workspace.id, failed?.id ?? '')).toMatchObject({ ...failed })
    const made = await runtime.as({})(listRuns, {
      params: { workspaceId: workspace.id },
      query: { origin: failed?.id },
    })
    expect(made.runs.map(({ id }) => id)).toEqual([run.id])
    const subject = `run:${failed?.id}`
    expect(
      await runtime.database.many(
        sql`select action, actor, details from audit.entries where subject = ${subject}`,
      ),
    ).toEqual([
      {
        action: 'run.retried',
        actor: 'user:ada',
        details: JSON.stringify({ newRunId: run.id, workspaceId: workspace.id }),
      },
    ])
  })

  test('runs what was given up', async () => {
    const { id } = await runtime.workspace({ work: {} })
    const [dead = ''] = await insertRuns(runtime.database, id, [
      { status: 'failed', deadLetter: true, input },
    ])
    const { run } = await retry(id, dead)
    expect(run).toMatchObject({ deadLetter: false, origin: { runId: dead } })
    expect(await ended(id, run.id)).toMatchObject({ status: 'succeeded' })
  })

  test('happens once for one Idempotency-Key', async () => {
    const { id } = await runtime.workspace({ work: {} })
    const [failed = ''] = await insertRuns(runtime.database, id, [{ status: 'failed', input }])
    const send = async () => {
      const response = await fetch(`${runtime.url}/v2/workspaces/${id}/runs/${failed}/retry`, {
        method: 'POST',
        headers: { ...runtime.headersOf({ kind: 'internal' }), 'idempotency-key': `retry-${failed}` },
      })
      return (await response.json()) as { run: Run }
    }
    expect((await send()).run.id).toBe((await send()).run.id)
  })

  test.each([
    ['that is at work', { status: 'running', input }, 'RunNotEnded', 409, 'running'],
    ['that succeeded', { input }, 'RunEnded', 409, 'succeeded'],
    ['that was cancelled', { status: 'cancelled', input }, 'RunEnded', 409, 'cancelled'],
    ['that a request waited for', { status: 'failed' }, 'RunExpired', 410, 'not kept'],
  ] as const)('refuses one %s', async (_, made, name, status, said) => {
    const { id } = await runtime.workspace({ work: {} })
    const [runId = ''] = await insertRuns(runtime.database, id, [made])
    await expect(retry(id, runId)).rejects.toMatchObject({
      name,
      status,
      message: expect.stringContaining(said),
    })
  })

  test('refuses a body that says more', async () => {
    const { id } = await runtime.workspace({ work: {} })
    const [runId = ''] = await insertRuns(runtime.database, id, [{ status: 'failed', input }])
    const attempt = runtime.as({})(retryRun, {
      params: { workspaceId: id, runId },
      body: { definition: 'original' } as never,
    })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('needs a credential', async () => {
    const { id } = await runtime.workspace({ work: {} })
    const [runId = ''] = await insertRuns(runtime.database, id, [{ status: 'failed', input }])
    const attempt = runtime.nobody(retryRun, { params: { workspaceId: id, runId } })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('is 404 alike for what is missing, of another workspace, or no id', async () => {
    const { id } = await runtime.workspace({})
    const other = await runtime.workspace({})
    const [foreign = ''] = await insertRuns(runtime.database, other.id, [{ status: 'failed', input }])
    const refusals = await Promise.all(
      [foreign, '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33', 'x'].map((runId) =>
        retry(id, runId).catch((error: unknown) => error),
      ),
    )
    expect(refusals[0]).toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
    expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('is for members and their keys, though everybody may execute automations', async () => {
    const { id } = await runtime.workspace({})
    const [runId = ''] = await insertRuns(runtime.database, id, [{ status: 'failed', input }])
    const refusalOf = (workspaceId: string) =>
      retry(workspaceId, runId, 'eve').catch((error: unknown) => JSON.stringify(error))
    expect(await refusalOf(id)).toContain('ObjectNotFoundError')
    expect(await refusalOf(id)).toBe(await refusalOf('w0000000000000000'))
  })
})
