import { randomBytes } from 'node:crypto'
import {
  type EventRecord,
  emitEvents,
  eventStream,
  getEventIndex,
  listEvents,
  reindexEvents,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { rounds, startTestService, type TestService } from '@platform/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentsOf, someEvent } from '../../test/indexing-fixture.ts'
import { events } from '../service.ts'

const { TEST_SEARCH_URL, REQUIRE_SERVERS } = process.env
if (TEST_SEARCH_URL === undefined) {
  const sentence = 'TEST_SEARCH_URL is not set: indexing is not tested on a real store.'
  if (REQUIRE_SERVERS === '1') throw new Error(sentence)
  console.warn(`\n*** SKIPPED: ${sentence} ***\n`)
}

// The store shares the machine with other tests of this run.
const PATIENCE = { timeout: 100_000, interval: 200 }

describe.skipIf(TEST_SEARCH_URL === undefined)('the index on a real store', { timeout: 220_000 }, () => {
  const namespace = `t${randomBytes(5).toString('hex')}`
  const searchUrl = `${TEST_SEARCH_URL}?namespace=${namespace}`
  const storeUrl = String(TEST_SEARCH_URL).replace(/^\w+\+/, '')
  const env = { SEARCH_URL: searchUrl, EVENTS_REPLICAS: '0' }
  let service: TestService
  let workspaceId: string
  beforeAll(async () => {
    service = await startTestService(events, { env })
    await ready()
  }, 60_000)
  afterAll(async () => {
    await wipe().catch(() => undefined)
    await service?.[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    workspaceId = newWorkspaceId()
    await service.database.many(
      sql`insert into permissions.workspaces (id, slug, name) values (${workspaceId}, ${workspaceId}, 'Test')`,
    )
    await service.database.many(
      sql`insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, 'ada', 'owner')`,
    )
  })

  const index = async () => {
    const opened = await service.resources.searchIndex(searchUrl)
    if (opened === undefined) throw new Error('There is no index.')
    return opened
  }
  const status = () => service.internal(getEventIndex)
  const ready = () =>
    vi.waitFor(async () => {
      expect(await status()).toMatchObject({ stage: 'ready', answeredBy: 'index', rebuilding: [] })
    }, PATIENCE)
  const feed = async () =>
    (await service.as({})(listEvents, { params: { workspaceId }, query: { limit: '100' } })).result.events
  const emit = (count: number, type = 'order.placed') =>
    service.as({})(emitEvents, {
      params: { workspaceId },
      body: { events: Array.from({ length: count }, (_, at) => ({ type, payload: { at } })) },
    })
  const inIndex = () => {
    const stream = eventStream(workspaceId)
    return vi.waitFor(async () => {
      const store = await index()
      await store.refresh(stream)
      return await store.find(stream, { sort: 'desc', limit: 100 })
    }, PATIENCE)
  }
  /** All that this test has put there, as if the disks of the store had been exchanged. */
  const wipe = async () => {
    await fetch(`${storeUrl}/_data_stream/${namespace}*`, { method: 'DELETE' })
    const indexes = (await (await fetch(`${storeUrl}/_cat/indices/${namespace}*?format=json`)).json()) as {
      index: string
    }[]
    for (const { index: name } of indexes) await fetch(`${storeUrl}/${name}`, { method: 'DELETE' })
  }

  test('takes what is emitted, and answers the feed with it', async () => {
    await emit(3)
    await vi.waitFor(async () => expect(await feed()).toHaveLength(3), PATIENCE)
    await vi.waitFor(async () => expect(await inIndex()).toHaveLength(3), PATIENCE)
    expect(await inIndex()).toEqual(await feed())
    expect(await status()).toMatchObject({ driver: 'opensearch', behind: { events: 0, seconds: 0 } })
  })

  test('that is wiped is built again by itself, and the feed never lacks an event', async () => {
    await emit(5)
    await vi.waitFor(async () => expect(await inIndex()).toHaveLength(5), PATIENCE)
    await wipe()
    // What is known of the index is a second old at most.
    await vi.waitFor(async () => expect((await status()).answeredBy).toBe('log'), { timeout: 3000 })
    const lengths: number[] = []
    await vi.waitFor(async () => {
      lengths.push((await feed()).length)
      expect((await status()).answeredBy).toBe('index')
    }, PATIENCE)
    expect(new Set(lengths)).toEqual(new Set([5]))
    expect(await inIndex()).toHaveLength(5)
  })

  test('is built again when an operator asks, all of it or one workspace', async () => {
    await emit(4)
    await vi.waitFor(async () => expect(await inIndex()).toHaveLength(4), PATIENCE)
    const before = await status()
    const asked = await service.internal(reindexEvents, { query: { workspace: workspaceId } })
    expect(asked.rebuilding.map(({ stream }) => stream)).toContain(eventStream(workspaceId))
    await ready()
    expect((await status()).startedAt).toBe(before.startedAt)
    expect(await inIndex()).toHaveLength(4)

    expect(await service.internal(reindexEvents, { query: {} })).toMatchObject({ stage: 'emptying' })
    expect(await feed()).toHaveLength(4)
    await ready()
    expect((await status()).startedAt).not.toBe(before.startedAt)
    expect(await inIndex()).toHaveLength(4)
  })

  test('takes all events of the log when it is built', async () => {
    const log = await service.resources.log(service.env.DATABASE_URL ?? '')
    const workspaces = Array.from({ length: 5 }, () => newWorkspaceId())
    const each = rounds(500, 2000)
    const records: EventRecord[] = Array.from({ length: 5 * each }, (_, at) =>
      someEvent(workspaces[at % 5], { payload: { at, text: 'Some words that are found.', nested: { at } } }),
    )
    for (let from = 0; from < records.length; from += 1000)
      await log.append(documentsOf(records.slice(from, from + 1000)))
    await service.internal(reindexEvents, { query: {} })
    await ready()
    expect((await status()).progress?.copied).toBeGreaterThanOrEqual(5 * each)
    const store = await index()
    const counts = new Map(
      (await store.counts(undefined, 1000)).map(({ stream, documents }) => [stream, documents]),
    )
    expect(workspaces.map((id) => counts.get(eventStream(id)))).toEqual(workspaces.map(() => each))
  })
})

describe('an index that is not there', () => {
  let service: TestService
  beforeAll(async () => {
    // A port on which nothing listens.
    service = await startTestService(events, { env: { SEARCH_URL: 'opensearch+http://127.0.0.1:9' } })
  }, 60_000)
  afterAll(() => service?.[Symbol.asyncDispose]())

  test('keeps nobody from emitting and reading', { timeout: 60_000 }, async () => {
    const workspaceId = newWorkspaceId()
    await service.database.many(
      sql`insert into permissions.workspaces (id, slug, name) values (${workspaceId}, ${workspaceId}, 'Test')`,
    )
    await service.database.many(
      sql`insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, 'ada', 'owner')`,
    )
    const ada = service.as({})
    const params = { workspaceId }
    await ada(emitEvents, { params, body: { events: [{ type: 'order.placed', payload: {} }] } })
    await vi.waitFor(async () => {
      const { result } = await ada(listEvents, { params, query: {} })
      expect(result.events).toMatchObject([{ type: 'order.placed' }])
    }, PATIENCE)
    expect(await service.internal(getEventIndex)).toMatchObject({
      driver: 'opensearch',
      stage: 'waiting',
      answeredBy: 'log',
      shards: null,
    })
  })

  test('shows in the readiness report and in the metrics', { timeout: 60_000 }, async () => {
    const headers = service.headersOf({ kind: 'internal' })
    const report = await (await fetch(`${service.url}/sys/readiness`, { headers })).json()
    expect(JSON.stringify(report)).toMatch(
      /"error":"(SearchError|ProbeTimeout)","module":"search","driver":"opensearch"/,
    )
    expect((await fetch(`${service.url}/sys/readyz`)).status).toBe(200)
    const page = await (await fetch(`${service.url}/metrics`, { headers })).text()
    expect(page).toMatch(/platform_search_answers_total\{[^}]*by="log"[^}]*reason="away"[^}]*\} [1-9]/)
    expect(page).toContain('platform_search_indexed_total 0')
  })
})
