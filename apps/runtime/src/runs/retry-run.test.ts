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
    expect(await ended(workspace.id, failed?.id ?? '')).toMatchObject({
      ...failed,
      retriedBy: { runId: run.id, status: 'succeeded' },
    })
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

  test('takes a dead letter off the list once it, or its retry, was retried with success', async () => {
    const { id } = await runtime.workspace({ work: { do: [{ missing: {} }] } })
    const [dead = ''] = await insertRuns(runtime.database, id, [
      { status: 'failed', deadLetter: true, input },
    ])
    const deadLetters = async () => {
      const query = { deadLetter: 'true' } as const
      const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: id }, query: query as never })
      return runs.map(({ id: runId, retriedBy }) => [runId, retriedBy])
    }
    const { run: first } = await retry(id, dead)
    expect(await ended(id, first.id)).toMatchObject({ status: 'failed' })
    expect(await deadLetters()).toEqual([[dead, { runId: first.id, status: 'failed' }]])
    const [second = ''] = await insertRuns(runtime.database, id, [{ originId: first.id }])
    expect(await deadLetters()).toEqual([])
    expect((await ended(id, first.id)).retriedBy).toEqual({ runId: second, status: 'succeeded' })
  })

  test('is refused while it is retried already, and not any more when that has failed', async () => {
    const { id } = await runtime.workspace({ work: { do: [{ wait: { timeout: 60 } }] } })
    const [runId = ''] = await insertRuns(runtime.database, id, [{ status: 'failed', input }])
    const both = await Promise.allSettled([retry(id, runId), retry(id, runId)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(retry(id, runId)).rejects.toMatchObject({
      name: 'RunNotEnded',
      status: 409,
      message: expect.stringMatching(/^The run is retried already, as [-0-9a-f]{36}, which is \w+: wait/),
    })
    await runtime.database.many(
      sql`update runtime.runs set status = 'failed', finished_at = now() where origin_id = ${runId}`,
    )
    expect((await retry(id, runId)).run.origin).toMatchObject({ runId })
  })

  test('is refused where its automation was deleted or disabled meanwhile: 410', async () => {
    const { id } = await runtime.workspace({ off: { disabled: true } })
    const [gone = '', off = ''] = await insertRuns(runtime.database, id, [
      { status: 'failed', input },
      { status: 'failed', input, automationSlug: 'off' },
    ])
    const refused = (message: string) => ({
      name: 'RunExpired',
      status: 410,
      message: expect.stringContaining(message),
    })
    await expect(retry(id, gone)).rejects.toMatchObject(refused('"work" of the run is not there any more'))
    await expect(retry(id, off)).rejects.toMatchObject(refused('"off" of the run is disabled'))
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
