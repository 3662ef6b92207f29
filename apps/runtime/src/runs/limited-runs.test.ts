import { cancelRun, getRun, listRuns, type Run } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Gate, startGate } from '../../test/gate.ts'
import {
  emittedEvent,
  runtimeDatabaseUrl,
  startRuntime,
  type TestAutomation,
  type TestRuntime,
} from '../../test/testing.ts'

let one: TestRuntime
let two: TestRuntime
let outside: Gate
const env = { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RUN_CONCURRENCY: '40' }

beforeAll(async () => {
  const databaseUrl = await runtimeDatabaseUrl()
  one = await startRuntime({ databaseUrl, env })
  two = await startRuntime({ databaseUrl, env })
})
beforeEach(async () => {
  outside = await startGate()
})
afterEach(async () => {
  outside.open()
  await outside[Symbol.asyncDispose]()
})
afterAll(async () => {
  await two[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
})

const when = { events: ['job'] }

/** A workspace whose automation asks the outside for what it is given, and so is at work until the gate is open. */
const limited = (concurrency: TestAutomation['concurrency'], rest: TestAutomation = {}) =>
  one.workspace({
    main: { when, concurrency, do: [{ fetch: { url: `${outside.url}/{{payload.n}}` } }], ...rest },
  })

const publish = (workspaceId: string, payloads: readonly unknown[]) =>
  one.database.many(insertEvents(payloads.map((payload) => emittedEvent(workspaceId, 'job', payload))))

const list = async (workspaceId: string): Promise<Run[]> =>
  (await one.as({})(listRuns, { params: { workspaceId }, query: { limit: '100' } })).runs.reverse()

const eventually = <T>(ask: () => Promise<T>) => vi.waitFor(ask, { timeout: 10_000, interval: 20 })

/** How many runs there are of each kind, once it is so. */
const settled = (workspaceId: string, expected: Record<string, number>): Promise<Run[]> =>
  eventually(async () => {
    const runs = await list(workspaceId)
    const counts: Record<string, number> = {}
    for (const { status, waitsFor } of runs) {
      const kind = waitsFor === null ? status : `${status} for ${waitsFor.kind}`
      counts[kind] = (counts[kind] ?? 0) + 1
    }
    expect(counts).toEqual(expected)
    return runs
  })

describe('an automation with concurrency', () => {
  test('has so many runs at work at once over all processes, one after the other, and loses none', async () => {
    const { id } = await limited({ limit: 3 })
    await publish(
      id,
      Array.from({ length: 12 }, (_, n) => ({ n })),
    )
    await settled(id, { running: 3, 'queued for slot': 9 })
    await eventually(async () => expect(outside.waiting()).toBe(3))
    outside.letIn(1)
    await settled(id, { succeeded: 1, running: 3, 'queued for slot': 8 })
    outside.open()
    await settled(id, { succeeded: 12 })
    expect(outside.most()).toBe(3)
  })

  test('has a limit for each key', async () => {
    const { id } = await limited({ limit: 1, key: '{{payload.customer}}' })
    await publish(
      id,
      ['ada', 'bob', 'ada', 'bob', 'eve'].map((customer, n) => ({ customer, n })),
    )
    await settled(id, { running: 3, 'queued for slot': 2 })
    outside.open()
    await settled(id, { succeeded: 5 })
  })

  test('lets nothing through with drop', async () => {
    const { id } = await limited({ limit: 2, strategy: 'drop' })
    await publish(id, [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }])
    const runs = await settled(id, { running: 2, cancelled: 2 })
    const said = runs.find(({ status }) => status === 'cancelled')?.error?.message
    expect(said).toBe('The run was cancelled: "main" is at work 2 times already (concurrency: drop).')
  })

  test('cancels the oldest for a newer run with cancel-oldest', async () => {
    const { id } = await limited({ limit: 1, strategy: 'cancel-oldest' })
    await publish(id, [{ n: 1 }])
    const [first] = await settled(id, { running: 1 })
    await publish(id, [{ n: 2 }])
    const runs = await settled(id, { cancelled: 1, running: 1 })
    expect(runs.find(({ status }) => status === 'cancelled')?.id).toBe(first?.id)
  })

  test('lets a run be cancelled while it waits', async () => {
    const { id } = await limited({ limit: 1 })
    await publish(id, [{ n: 1 }])
    await settled(id, { running: 1 })
    await publish(id, [{ n: 2 }, { n: 3 }])
    const runs = await settled(id, { running: 1, 'queued for slot': 2 })
    const held = runs.filter(({ waitsFor }) => waitsFor !== null)
    expect(held.every(({ startedAt }) => startedAt === null)).toBe(true)
    const params = { workspaceId: id, runId: String(held[0]?.id) }
    await one.as({})(cancelRun, { params })
    outside.letIn(1)
    await settled(id, { succeeded: 1, cancelled: 1, running: 1 })
  })

  test('frees the place of a run that waits for its next try', async () => {
    const { id } = await limited(
      { limit: 1 },
      { retry: { attempts: 2, backoff: '100s' }, do: [{ 'no-such-automation': {} }] },
    )
    await publish(id, [{ n: 1 }, { n: 2 }])
    await settled(id, { 'queued for retry': 2 })
  })

  test('fails a run whose key can not be computed, and says where', async () => {
    const { id } = await limited({ limit: 1, key: '{% date(1, 2, 3, 4) %}{% nothing( %}' })
    await publish(id, [{ n: 1 }])
    const [run] = await settled(id, { failed: 1 })
    expect(run?.error).toMatchObject({ automationSlug: 'main', instruction: 'concurrency.key' })
  })

  test('lets the next run in when nobody did, as after the death of a process', async () => {
    const { id } = await limited({ limit: 1 })
    await publish(id, [{ n: 1 }, { n: 2 }])
    await settled(id, { running: 1, 'queued for slot': 1 })
    // As a process of the version before ends it: it knows nothing of places.
    await one.database.many(sql`
      update runtime.runs set status = 'failed', finished_at = now() where workspace_id = ${id} and status = 'running'`)
    await settled(id, { failed: 1, running: 1 })
  })

  test('keeps the place of a run whose process died for the one that takes it over', async () => {
    const { id } = await limited({ limit: 1 })
    await publish(id, [{ n: 1 }, { n: 2 }])
    const runs = await settled(id, { running: 1, 'queued for slot': 1 })
    const running = runs.find(({ status }) => status === 'running')
    await forget(one.database, String(running?.id))
    await eventually(async () => {
      const [row] = await one.database.many<{ attempt: number }>(sql`
        select attempt from runtime.runs where id = ${running?.id} and status = 'running'`)
      expect(row?.attempt).toBe(3)
    })
    await settled(id, { running: 1, 'queued for slot': 1 })
    outside.open()
    await settled(id, { succeeded: 2 })
  })

  test('costs others nothing, however many runs wait', async () => {
    const { id } = await limited({ limit: 1 })
    await publish(id, [{ n: 1 }])
    const [first] = await settled(id, { running: 1 })
    await one.database.many(sql`
      insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id,
        input, waits_for, slot, slot_limit)
      select gen_random_uuid(), workspace_id, automation_slug, trigger_type, trigger_value, 'waiting', 'c', input,
        'slot', slot, 1
      from runtime.runs, generate_series(1, 20000) where id = ${first?.id}`)
    const other = await one.workspace({ quick: { when, do: [] } })
    const startedAt = performance.now()
    await publish(other.id, [{}])
    await settled(other.id, { succeeded: 1 })
    expect(performance.now() - startedAt).toBePrompt(3000)
    const { status } = await one.as({})(getRun, { params: { workspaceId: id, runId: String(first?.id) } })
    expect(status).toBe('running')
    await one.database.many(sql`delete from runtime.runs where workspace_id = ${id} and status = 'waiting'`)
  })
})

/** As if another process had taken it over, and had died. */
const forget = (database: Database, runId: string) =>
  database.many(sql`update runtime.runs set attempt = attempt + 1, worker = '1' where id = ${runId}`)
