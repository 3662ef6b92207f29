import { getRun, listRuns } from '@platform/contracts'
import { insertEvents } from '@platform/outbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertRuns } from '../../test/runs.ts'
import { emittedEvent, startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime({ env: { RUN_DETAILS: 'failed' } })
  workspace = await runtime.workspace({ greet: { when: { endpoint: true }, output: 'hello' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const get = (workspaceId: string, runId: string, userId = 'ada') =>
  runtime.as({ userId })(getRun, { params: { workspaceId, runId } })

describe('reading a run', () => {
  test('shows its input without secrets, and where its events are', async () => {
    const { id, save } = await runtime.workspace({
      listen: {
        when: { events: ['order.placed'] },
        arguments: {
          payload: {
            type: 'object',
            properties: { token: { type: 'string', secret: true }, card: { type: 'string', redact: true } },
          },
        },
      },
    })
    const event = emittedEvent(id, 'order.placed', { n: 7, token: 'canary-of-token', card: 'canary-of-card' })
    await runtime.database.many(insertEvents([event]))
    const run = await vi.waitFor(async () => {
      const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: id }, query: {} })
      expect(runs).toMatchObject([{ status: 'succeeded' }])
      return runs[0]
    })

    const shown = await get(id, run?.id ?? '')

    expect(shown).toMatchObject({
      ...run,
      trigger: { type: 'event', value: 'order.placed', id: event.id },
      input: { id: event.id, payload: { n: 7 }, source: { userId: 'ada' } },
      eventsUrl: `/v2/workspaces/${id}/events?correlationId=${event.source.correlationId}`,
    })
    expect(JSON.stringify(shown)).not.toContain('canary')
    // What the automation was when the run began says what is secret, also when it is gone.
    await save({})
    const later = await get(id, run?.id ?? '')
    expect(later.input).toEqual(shown.input)
    expect(JSON.stringify(later)).not.toContain('canary')
    // Without an automation nobody can say it.
    const input = { payload: { token: 'canary' }, caller: {}, depth: 0 }
    const [gone = ''] = await insertRuns(runtime.database, id, [{ automationSlug: 'gone', input }])
    expect(await get(id, gone)).not.toHaveProperty('input')
  })

  test('has no input of a run that a request waited for and that succeeded, where only others are kept', async () => {
    const { id } = await runtime.workspace({ greet: { when: { endpoint: true }, output: 'hello' } })
    await runtime.call(id, 'greet', { method: 'POST', body: '{"a":1}' })
    const { runs } = await runtime.as({})(listRuns, { params: { workspaceId: id }, query: {} })
    expect(await get(id, runs[0]?.id ?? '')).not.toHaveProperty('input')
  })

  test('names only the size of an input that is too large', async () => {
    const { id } = await runtime.workspace({ work: {} })
    const input = { payload: { text: 'x'.repeat(50_000) }, caller: {}, depth: 0 }
    const [runId = ''] = await insertRuns(runtime.database, id, [{ input }])
    expect(await get(id, runId)).toMatchObject({ input: { truncated: true, size: expect.any(Number) } })
  })

  test('is 304 for who has it already', async () => {
    const [runId = ''] = await insertRuns(runtime.database, workspace.id, [{}])
    const url = `${runtime.url}/v2/workspaces/${workspace.id}/runs/${runId}`
    const headers = runtime.headersOf({ kind: 'internal' })
    const etag = (await fetch(url, { headers })).headers.get('etag') ?? ''
    const again = await fetch(url, { headers: { ...headers, 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test('is 404 for what is missing, no id, or of another workspace', async () => {
    const other = await runtime.workspace({})
    const [foreign = ''] = await insertRuns(runtime.database, other.id, [{}])
    const refusals = await Promise.all(
      [foreign, '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33', 'x'].map((id) =>
        get(workspace.id, id).catch((error: unknown) => error),
      ),
    )
    expect(refusals[0]).toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
    expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test('needs a credential', async () => {
    const [runId = ''] = await insertRuns(runtime.database, workspace.id, [{}])
    const attempt = runtime.nobody(getRun, { params: { workspaceId: workspace.id, runId } })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('is for members: to others the workspace is not there', async () => {
    const [runId = ''] = await insertRuns(runtime.database, workspace.id, [{}])
    await expect(get(workspace.id, runId, 'eve')).rejects.toMatchObject({
      name: 'ObjectNotFoundError',
      message: expect.stringContaining('no such workspace'),
    })
  })
})
