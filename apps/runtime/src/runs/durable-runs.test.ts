import { randomUUID } from 'node:crypto'
import { cancelRun, getRun } from '@platform/contracts'
import { sql } from '@platform/database'
import { type PlatformProcess, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Gate, startGate } from '../../test/gate.ts'
import { endedRun } from '../../test/runs.ts'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

const SOON = { timeout: 15_000, interval: 20 }
const ENV = { RUN_DETAILS: 'failed', FETCH_ALLOWED_HOSTS: '127.0.0.0/8' }

const stack = new AsyncDisposableStack()
let gate: Gate
let runtime: TestRuntime
/** Gives a request two seconds. */
let hasty: TestRuntime
let killed: PlatformProcess
let workspace: TestWorkspace

const count = { set: { name: 'global[{{body.n}}]', value: '{% {{global[{{body.n}}]}} + 1 %}' } }
const begin = { set: { name: 'global[{{body.n}}]', value: 0 } }

beforeAll(async () => {
  gate = stack.use(await startGate())
  runtime = stack.use(await startRuntime({ env: ENV }))
  const { DATABASE_URL: databaseUrl = '' } = runtime.env
  hasty = stack.use(await startRuntime({ databaseUrl, env: { ...ENV, GATEWAY_TIMEOUT: '2' } }))
  const ask = { fetch: { url: `${gate.url}/?n={{body.n}}` } }
  const durable = { when: { endpoint: true }, durable: true }
  workspace = await runtime.workspace({
    asks: { ...durable, do: [begin, count, ask, count, ask], output: '{{global[{{body.n}}]}}' },
    computes: { ...durable, do: [begin, count, { emit: { event: 'computed' } }], output: 'computed' },
    fails: { ...durable, do: [ask, { missing: {} }] },
    cleans: {
      ...durable,
      do: [{ try: { do: [ask], finally: [{ emit: { event: 'cleaned' } }] } }, { emit: { event: 'never' } }],
    },
  })
  killed = spawnPlatform('runtime', 'apps/runtime/src/main.ts', { ...runtime.env, LOG_LEVEL: 'info' })
  stack.defer(async () => void (await killed.stop('SIGKILL')))
  await killed.printed(/service is ready/)
})
afterAll(() => stack.disposeAsync())

async function send(
  slug: string,
  n: string,
  { key, url = runtime.url }: { key?: string; url?: string } = {},
) {
  const response = await fetch(`${url}/v2/workspaces/${workspace.id}/webhooks/${slug}`, {
    method: 'POST',
    headers: {
      ...runtime.headersOf(undefined),
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({ n }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    runId: response.headers.get('x-platform-run-id') ?? '',
    isReplayed: response.headers.get('idempotency-replayed') === 'true',
    body: (await response.json()) as unknown,
  }
}

const asked = (n: string) => gate.got.filter(({ url }) => url.endsWith(`n=${n}`))
const waitForAsked = (n: string, times: number) =>
  vi.waitFor(() => expect(asked(n)).toHaveLength(times), SOON)
const ended = (runId: string) => endedRun(runtime, workspace.id, runId)
const rowOf = async (runId: string) => {
  const rows = await runtime.database.many<Record<string, unknown>>(
    sql`select status, attempt, deaths, input is not null as "hasInput" from runtime.runs where id = ${runId}`,
  )
  return rows[0]
}

describe('a durable run of a request', () => {
  test('is written once where nothing leaves', async () => {
    const { status, body, runId } = await send('computes', 'a')
    expect({ status, body }).toEqual({ status: 200, body: 'computed' })
    expect(await rowOf(runId)).toEqual({ status: 'succeeded', attempt: 1, deaths: 0, hasInput: false })
    expect(await runtime.database.many(sql`select 1 from runtime.journal where run_id = ${runId}`)).toEqual(
      [],
    )
  })

  test('is there as soon as something leaves, and answers its request', async () => {
    const running = send('asks', 'b')
    await waitForAsked('b', 1)
    const [row] = await runtime.database.many<{ id: string; status: string }>(
      sql`select id, status from runtime.runs where workspace_id = ${workspace.id} and status = 'running'`,
    )
    expect(row).toMatchObject({ status: 'running' })
    gate.letIn(1)
    await waitForAsked('b', 2)
    gate.letIn(1)
    expect(await running).toMatchObject({ status: 200, body: 2, runId: row?.id })
    expect(await ended(row?.id ?? '')).toMatchObject({ status: 'succeeded' })
  })

  test('goes on elsewhere when its process is killed, and its caller gets the answer by asking again', async () => {
    const key = randomUUID()
    const { port } = JSON.parse(killed.output().match(/\{[^\n]*service is ready[^\n]*\}/)?.[0] ?? '{}')
    const lost = send('asks', 'c', { key, url: `http://127.0.0.1:${port}` }).catch(() => 'lost')
    await waitForAsked('c', 1)
    gate.letIn(1)
    await waitForAsked('c', 2)
    await killed.stop('SIGKILL')
    expect(await lost).toBe('lost')
    expect(await send('asks', 'c', { key })).toMatchObject({
      status: 409,
      retryAfter: '1',
      body: { error: 'IdempotencyKeyInUse' },
    })
    const diedAt = performance.now()
    await waitForAsked('c', 3)
    expect(performance.now() - diedAt).toBePrompt(10_000)
    gate.letIn(1)
    const answer = await vi.waitFor(async () => {
      const again = await send('asks', 'c', { key })
      expect(again.status).toBe(200)
      return again
    }, SOON)
    expect(answer).toMatchObject({ body: 2, isReplayed: true })
    expect(await rowOf(answer.runId)).toMatchObject({ status: 'succeeded', attempt: 2, deaths: 1 })
    // The first question was answered and kept; the second was asked again with its key.
    const keys = asked('c').map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
    expect(keys[2]).toBe(keys[1])
    expect(await send('asks', 'c', { key })).toEqual(answer)
  }, 60_000)

  test('goes on in the queue when its request has waited as long as it may', async () => {
    const key = randomUUID()
    const n = `d${key}`
    const gone = await send('asks', n, { key, url: hasty.url })
    expect(gone).toMatchObject({ status: 503, retryAfter: '1', body: { error: 'ServiceUnavailable' } })
    expect(gone.body).toMatchObject({ details: { runId: gone.runId } })
    await waitForAsked(n, 2)
    gate.letIn(9)
    await waitForAsked(n, 3)
    gate.letIn(9)
    expect(await ended(gone.runId)).toMatchObject({ status: 'succeeded' })
    expect(await send('asks', n, { key })).toMatchObject({ status: 200, body: 2, runId: gone.runId })
  }, 30_000)

  test('tells again what it failed with', async () => {
    const key = randomUUID()
    const n = `e${key}`
    const gone = await send('fails', n, { key, url: hasty.url })
    await waitForAsked(n, 2)
    gate.letIn(9)
    expect(await ended(gone.runId)).toMatchObject({ status: 'failed' })
    expect(await send('fails', n, { key })).toMatchObject({
      status: 400,
      isReplayed: true,
      body: { error: 'InvalidInstructionError', message: expect.stringContaining('"missing"') },
    })
  }, 30_000)

  test('can be cancelled, and runs its finally', async () => {
    const running = send('cleans', 'f')
    await waitForAsked('f', 1)
    const [row] = await runtime.database.many<{ id: string }>(
      sql`select id from runtime.runs where automation_slug = 'cleans' and status = 'running'`,
    )
    const params = { workspaceId: workspace.id, runId: row?.id ?? '' }
    await runtime.as({ userId: 'ada' })(cancelRun, { params, body: { reason: 'enough' } })
    expect(await running).toMatchObject({ status: 409, body: { error: 'RunEnded' } })
    expect(await runtime.as({})(getRun, { params })).toMatchObject({ status: 'cancelled' })
    expect(await runtime.events(workspace.id, 'cleaned')).toHaveLength(1)
    expect(await runtime.events(workspace.id, 'never')).toEqual([])
  })
})
