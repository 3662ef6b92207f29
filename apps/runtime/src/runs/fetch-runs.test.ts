import { cancelRun, getRun } from '@platform/contracts'
import { openDatabase, raw, sql } from '@platform/database'
import { spellingsOfTheInside } from '@platform/outbound/testing'
import { insertEvents } from '@platform/outbox'
import { type PlatformProcess, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Answers, startOutside } from '../../test/outside.ts'
import { emittedEvent, runtimeDatabaseUrl, startRuntime, type TestRuntime } from '../../test/testing.ts'

const SOON = { timeout: 15_000, interval: 20 }
const ALLOWED = { FETCH_ALLOWED_HOSTS: '127.0.0.0/8' }

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: ALLOWED })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const publish = (workspaceId: string, type: string) =>
  runtime.database.many(insertEvents([emittedEvent(workspaceId, type)]))

describe('what a run did before a fetch', () => {
  test('is committed when the request leaves, and nothing leaves while it can’t be', async () => {
    const seen: unknown[] = []
    const look: Answers = async (_, response) => {
      const events = await runtime.events(workspace.id)
      const contexts = await runtime.database.many(
        sql`select content from runtime.contexts where workspace_id = ${workspace.id}`,
      )
      const queued = await runtime.database.many(
        sql`select from runtime.runs where workspace_id = ${workspace.id} and automation_slug = 'later'`,
      )
      seen.push([events.map(({ type }) => type), contexts, queued.length])
      response.end()
    }
    await using outside = await startOutside(look)
    const workspace = await runtime.workspace({
      main: {
        when: { events: ['go'] },
        do: [
          { emit: { event: 'before' } },
          { set: { name: 'global.state', value: 'calling' } },
          { runWorkflow: { workflow: 'later', wait: false } },
          { fetch: { url: outside.url } },
        ],
      },
      later: {},
    })
    await using other = await openDatabase(runtime.env.DATABASE_URL ?? '', { allowWeakDurability: true })
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const locking = other.transaction(async (tx) => {
      await tx.many(raw('lock table runtime.contexts in exclusive mode'))
      locked.resolve()
      await released.promise
    })
    await locked.promise
    await publish(workspace.id, 'go')
    await vi.waitFor(async () => {
      const waiting = await other.many(sql`select from pg_locks where not granted`)
      expect(waiting.length).toBeGreaterThan(0)
    }, SOON)
    expect(outside.counted.connections).toBe(0)
    released.resolve()
    await locking
    await vi.waitFor(() => expect(seen).toHaveLength(1), SOON)
    expect(seen).toEqual([[expect.arrayContaining(['go', 'before']), [{ content: { state: 'calling' } }], 1]])
  }, 30_000)

  test('costs a URL run, which is never done again, no commit', async () => {
    let events: unknown[] = []
    await using outside = await startOutside(async (_, response) => {
      events = await runtime.events(workspace.id)
      response.end('fine')
    })
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        do: [{ set: { name: 'global.a', value: 1 } }, { fetch: { url: outside.url, output: 'out' } }],
        output: '{{out}}',
      },
    })
    expect(await (await runtime.call(workspace.id, 'main')).json()).toBe('fine')
    expect(events).toEqual([])
  })
})

describe('a run whose process was killed while it waited', () => {
  const stack = new AsyncDisposableStack()
  let killed: PlatformProcess
  let outside: Awaited<ReturnType<typeof startOutside>>
  let second: TestRuntime
  let workspaceId: string
  beforeAll(async () => {
    const databaseUrl = await runtimeDatabaseUrl()
    outside = stack.use(
      await startOutside((_, response, count) => (count === 1 ? undefined : response.end('fine'))),
    )
    const first = await startRuntime({ databaseUrl, env: ALLOWED })
    const { id } = await first.workspace({
      main: {
        when: { events: ['go'] },
        do: [
          { emit: { event: 'before' } },
          { fetch: { url: outside.url, method: 'post', body: { a: 1 }, output: 'out' } },
          { emit: { event: 'after', payload: { out: '{{out}}' } } },
        ],
      },
    })
    workspaceId = id
    const env = { ...first.env, ...ALLOWED, RUN_LEASE_SECONDS: '60', LOG_LEVEL: 'info' }
    killed = spawnPlatform('runtime', 'apps/runtime/src/main.ts', env)
    stack.defer(async () => void (await killed.stop('SIGKILL')))
    await killed.printed(/service is ready/)
    await first[Symbol.asyncDispose]()
    await using database = await openDatabase(databaseUrl, { allowWeakDurability: true })
    await database.many(insertEvents([emittedEvent(workspaceId, 'go')]))
    await vi.waitFor(() => expect(outside.got).toHaveLength(1), SOON)
    second = stack.use(await startRuntime({ databaseUrl, env: { ...ALLOWED, RUN_LEASE_SECONDS: '60' } }))
  })
  afterAll(() => stack.disposeAsync())

  test('calls again, with the same key', async () => {
    await killed.stop('SIGKILL')
    await vi.waitFor(async () => expect(await second.events(workspaceId, 'after')).toHaveLength(1), SOON)
    const [one, two] = outside.got
    expect(outside.got).toHaveLength(2)
    expect(two?.headers['idempotency-key']).toBe(one?.headers['idempotency-key'])
    expect(two?.text).toBe(one?.text)
    expect(await second.events(workspaceId, 'before')).toHaveLength(1)
  }, 60_000)
})

test('a run that is cancelled stops waiting for an answer, and may still call in its finally', async () => {
  await using outside = await startOutside(({ url }, response) =>
    url === '/hangs' ? undefined : response.end(),
  )
  const workspace = await runtime.workspace({
    main: {
      when: { events: ['go'] },
      do: [
        {
          try: {
            do: [{ fetch: { url: `${outside.url}/hangs` } }],
            finally: [{ fetch: { url: `${outside.url}/tidies` } }],
          },
        },
      ],
    },
  })
  await publish(workspace.id, 'go')
  await vi.waitFor(() => expect(outside.got).toHaveLength(1), SOON)
  const [run] = await runtime.database.many<{ id: string }>(
    sql`select id from runtime.runs where workspace_id = ${workspace.id}`,
  )
  const params = { workspaceId: workspace.id, runId: run?.id ?? '' }
  await runtime.as({ userId: 'ada' })(cancelRun, { params, body: {} })
  await vi.waitFor(
    async () => expect(await runtime.as({})(getRun, { params })).toMatchObject({ status: 'cancelled' }),
    SOON,
  )
  expect(outside.got.map(({ url }) => url)).toEqual(['/hangs', '/tidies'])
})

test('an automation reaches none of the spellings of the inside', async () => {
  await using inside = await startOutside()
  const spellings = spellingsOfTheInside().filter((host) => !/inside\.example/.test(host))
  await using guarded = await startRuntime({ databaseUrl: runtime.env.DATABASE_URL ?? '' })
  const workspace = await guarded.workspace({
    main: {
      when: { endpoint: true },
      do: [{ fetch: { url: '{{body.url}}', timeout: '2s', output: 'out' } }],
      output: '{{out.error.name}}',
    },
  })
  const outcomes = new Map<string, string[]>()
  const ask = async (host: string) => {
    const response = await guarded.call(workspace.id, 'main', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://${host}:${inside.port}/` }),
    })
    const answer: unknown = await response.json()
    const outcome = response.status === 200 ? String(answer) : String(Object(answer).message)
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), host])
  }
  await Promise.all(spellings.map(ask))
  // Some spellings are no address at all, or a name that nobody has.
  const { OutboundRefused = [], ...others } = Object.fromEntries(outcomes)
  expect(
    Object.keys(others).filter((outcome) => !/^NetworkError$|must be an absolute address/.test(outcome)),
  ).toEqual([])
  expect(OutboundRefused.length).toBeGreaterThan(spellings.length * 0.9)
  expect(inside.counted.connections).toBe(0)
})

test('an automation may listen to fetches that failed, and operators see them counted', async () => {
  await using outside = await startOutside((_, response) => response.writeHead(404).end('gone'))
  const workspace = await runtime.workspace({
    main: { when: { events: ['go'] }, do: [{ fetch: { url: outside.url } }] },
    alarm: {
      when: { events: ['runtime.fetch.failed'] },
      do: [{ emit: { event: 'alarm', payload: { status: '{{payload.response.status}}' } } }],
    },
  })
  await publish(workspace.id, 'go')
  await vi.waitFor(
    async () =>
      expect(await runtime.events(workspace.id, 'alarm')).toMatchObject([{ payload: { status: 404 } }]),
    SOON,
  )
  const metrics = await (
    await fetch(`${runtime.url}/metrics`, { headers: runtime.headersOf(undefined) })
  ).text()
  expect(metrics).toMatch(/platform_fetch_attempts_total\{.*outcome="4xx".*\} [1-9]/)
  expect(metrics).toMatch(/platform_fetches_under_way\S* 0\n/)
})
