import { listRuns, type QueryInputOf, type Run } from '@platform/contracts'
import { uuidv7, uuidv7Ms } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertRuns } from '../../test/runs.ts'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'
import { runRecordStore } from './run-record-store.ts'

let runtime: TestRuntime
let workspace: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime()
  workspace = await runtime.workspace({ greet: { when: { endpoint: true }, output: 'hello' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

type Query = Readonly<Record<string, string>>

const list = (workspaceId: string, query: Query = {}, userId = 'ada') =>
  runtime.as({ userId })(listRuns, { params: { workspaceId }, query: query as QueryInputOf<typeof listRuns> })
const idsOf = async (workspaceId: string, query: Query = {}): Promise<string[]> =>
  (await list(workspaceId, query)).runs.map(({ id }) => id)

describe('listing runs', () => {
  test('shows a run that a request waited for, with its trigger, times and correlation', async () => {
    const { id } = await runtime.workspace({ greet: { when: { endpoint: true }, output: 'hello' } })
    const before = Date.now()
    const called = await runtime.call(id, 'greet')

    const { runs, nextCursor } = await list(id)

    expect(nextCursor).toBeNull()
    expect(runs).toEqual([
      {
        id: expect.any(String),
        automationSlug: 'greet',
        status: 'succeeded',
        trigger: { type: 'endpoint', value: 'greet', id: expect.any(String) },
        correlationId: called.headers.get('x-correlation-id') ?? '',
        deadLetter: false,
        createdAt: expect.any(String),
        startedAt: expect.any(String),
        finishedAt: expect.any(String),
        workedMs: expect.any(Number),
        elapsedMs: expect.any(Number),
        try: 0,
        priority: 0,
        waitsFor: null,
        origin: null,
        retriedBy: null,
        sourceWorkspaceId: null,
        authenticatedWorkspaceId: null,
        error: null,
      } satisfies Run,
    ])
    expect(Date.parse(runs[0]?.createdAt ?? '')).toBeGreaterThanOrEqual(before)
  })

  test('tells where a run failed and what to do about it', async () => {
    const { id } = await runtime.workspace({
      outer: { when: { endpoint: true }, do: [{ set: { name: 'a', value: 1 } }, { inner: {} }] },
      inner: { do: [{ set: { name: 'a', value: 1 } }, { repeat: { on: [1], do: [{ missing: {} }] } }] },
    })
    await runtime.call(id, 'outer')

    const { runs } = await list(id, { status: 'failed' })

    expect(runs).toMatchObject([
      {
        automationSlug: 'outer',
        status: 'failed',
        error: {
          error: 'ObjectNotFoundError',
          automationSlug: 'inner',
          instruction: expect.stringMatching(/^do\[1\]\.repeat\.do\[0\]/),
          remedy: expect.stringContaining('Look for what'),
        },
      },
    ])
  })

  test('finds by each filter, and by all together', async () => {
    const { id } = await runtime.workspace({})
    const origin = uuidv7()
    const [plain = '', failed = '', dead = '', running = '', retried = ''] = await insertRuns(
      runtime.database,
      id,
      [
        { automationSlug: 'plain', correlationId: 'c1' },
        { status: 'failed', error: { error: 'ForbiddenError', message: 'Nobody may do 100% of THAT_' } },
        { status: 'failed', deadLetter: true, error: { error: 'TooManyAttempts', message: 'given up' } },
        { status: 'running', triggerType: 'event', triggerValue: 'order.placed', correlationId: 'c1' },
        { triggerType: 'automation', originId: origin },
      ],
    )
    const found: readonly [Query, readonly string[]][] = [
      [{}, [retried, running, dead, failed, plain]],
      [{ status: 'failed' }, [dead, failed]],
      [{ status: 'failed,running' }, [running, dead, failed]],
      [{ deadLetter: 'true' }, [dead]],
      [{ deadLetter: 'false', status: 'failed' }, [failed]],
      [{ automation: 'plain' }, [plain]],
      [{ trigger: 'event,automation' }, [retried, running]],
      [{ correlationId: 'c1' }, [running, plain]],
      [{ origin }, [retried]],
      [{ text: 'ORDER.pl' }, [running]],
      [{ text: '0% of that_' }, [failed]],
      [{ text: failed }, [failed]],
      [{ text: '%' }, [failed]],
      [{ after: new Date(uuidv7Ms(running)).toISOString() }, [retried, running]],
      [{ before: new Date(uuidv7Ms(failed)).toISOString() }, [plain]],
      [
        { after: '0001-01-01T00:00:00Z', before: '9998-01-01T00:00:00Z', status: 'running', text: 'order' },
        [running],
      ],
      [{ status: 'cancelled' }, []],
    ]
    for (const [query, ids] of found) expect([query, await idsOf(id, query)]).toEqual([query, ids])
  })

  test('shows nothing of another workspace, whatever is asked', async () => {
    const { id } = await runtime.workspace({})
    const other = await runtime.workspace({})
    const [origin = ''] = await insertRuns(runtime.database, id, [{ correlationId: 'shared' }])
    await insertRuns(runtime.database, id, [{ correlationId: 'shared', originId: origin, status: 'failed' }])
    for (const query of [{}, { correlationId: 'shared' }, { origin }, { status: 'failed' }, { text: origin }])
      expect(await list(other.id, query)).toEqual({ runs: [], nextCursor: null })
    expect(await list(other.id, { cursor: uuidv7(Date.now() + 60_000) })).toMatchObject({ runs: [] })
  })

  test('leaves out and repeats nothing while runs are added', async () => {
    const { id } = await runtime.workspace({})
    const before = await insertRuns(
      runtime.database,
      id,
      Array.from({ length: 45 }, () => ({})),
    )
    const seen: string[] = []
    for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 10; pages += 1) {
      const page = await list(id, { limit: '10', ...(cursor === '' ? {} : { cursor }) })
      seen.push(...page.runs.map((run) => run.id))
      cursor = page.nextCursor
      await insertRuns(runtime.database, id, [{}, {}, {}])
    }
    expect(seen).toEqual(before.toReversed())
  })

  test('looks at so many runs and no more, and goes on behind them', async () => {
    const { id } = await runtime.workspace({})
    const [oldest = ''] = await insertRuns(runtime.database, id, [
      { automationSlug: 'rare' },
      ...Array.from({ length: 29 }, () => ({})),
    ])
    const records = runRecordStore(runtime.database)
    const page = { workspaceId: id, filter: { automation: 'rare' }, limit: 5, lookedAt: 10 }
    const pages: number[] = []
    const found: string[] = []
    for (let cursor: string | undefined; pages.length < 10; ) {
      const { runs, nextCursor } = await records.list({ ...page, cursor })
      pages.push(runs.length)
      found.push(...runs.map((run) => run.id))
      if (nextCursor === null) break
      cursor = nextCursor
    }
    expect(found).toEqual([oldest])
    expect(pages).toEqual([0, 0, 1, 0])
  })

  test.each([
    { status: 'parked' },
    { status: '' },
    { deadLetter: 'yes' },
    { automation: 'a?b' },
    { trigger: 'mail' },
    { origin: 'x' },
    { after: 'yesterday' },
    { limit: '101' },
    { cursor: 'x' },
    { text: 'x'.repeat(201) },
    { colour: 'red' },
  ])('refuses %j', async (query) => {
    await expect(list(workspace.id, query)).rejects.toMatchObject({
      name: 'RequestValidationError',
      status: 400,
    })
  })

  test('needs a credential', async () => {
    const attempt = runtime.nobody(listRuns, { params: { workspaceId: workspace.id }, query: {} })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('is for members: to others the workspace is not there', async () => {
    const refusalOf = (workspaceId: string) =>
      list(workspaceId, {}, 'eve').catch((error: unknown) => JSON.stringify(error))
    expect(await refusalOf(workspace.id)).toContain('ObjectNotFoundError')
    expect(await refusalOf(workspace.id)).toBe(await refusalOf('w0000000000000000'))
  })
})
