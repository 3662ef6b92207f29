import { randomBytes } from 'node:crypto'
import { automationExecuted, eventStream } from '@platform/contracts'
import { sql } from '@platform/database'
import { openSearchIndex, type SearchIndex } from '@platform/search'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { later, movableClock, startCleanupTests } from '../../test/cleanup-fixture.ts'
import { deleteDue, dropDeletedFromIndex, followTrash } from './deleted-workspaces.ts'
import { runCleanup } from './run-cleanup.ts'

const { TEST_SEARCH_URL, REQUIRE_SERVERS } = process.env
if (TEST_SEARCH_URL === undefined) {
  const sentence = 'TEST_SEARCH_URL must name an OpenSearch or Elasticsearch server'
  if (REQUIRE_SERVERS === '1') throw new Error(`${sentence}.`)
  console.warn(`SKIPPED: the cleanup of a real index; ${sentence} to test it.`)
}

describe.runIf(TEST_SEARCH_URL !== undefined)('the cleanup of a real index', () => {
  let cleaning: Awaited<ReturnType<typeof startCleanupTests>>
  let index: SearchIndex
  beforeAll(async () => {
    cleaning = await startCleanupTests()
    index = await openSearchIndex(`${TEST_SEARCH_URL}?namespace=t${randomBytes(6).toString('hex')}`, {
      replicas: 0,
    })
    await index.initialize()
  }, 60_000)
  afterAll(async () => {
    for (const { stream } of await index.streams(undefined, 1000)) await index.deleteStream(stream)
    await index[Symbol.asyncDispose]()
    await cleaning[Symbol.asyncDispose]()
  })

  const copy = async (id: string) => {
    await index.add(await cleaning.log.readAfter(0, 1000, eventStream(id)))
    await index.refresh(eventStream(id))
  }
  const found = async (id: string) => {
    await index.refresh(eventStream(id))
    return await index.find(eventStream(id), { sort: 'asc', limit: 100 })
  }
  /** Numbers of events in the log and in the index. */
  const both = async (id: string) => [await cleaning.count(id), (await found(id)).length]
  const streamsOf = async () => (await index.streams(undefined, 1000)).map(({ stream }) => stream)

  test('leaves in both stores what is kept, and no stream of what is gone', async () => {
    const { indices, store, clock } = await cleaning.parts(undefined, index)
    const busy = await cleaning.newWorkspace()
    const quiet = await cleaning.newWorkspace()
    const lost = await cleaning.newWorkspace()
    await cleaning.fill(busy, [1200, 1100, 3])
    await cleaning.fill(quiet, [60, 50])
    await cleaning.fill(lost, [3])
    for (const id of [busy, quiet, lost]) await copy(id)
    await cleaning.log.deleteStream(eventStream(lost))

    const { report, done } = await runCleanup(indices, { store, clock })
    expect(done).toBe(true)
    expect(report).toMatchObject({ expiredEvents: 2, inactiveDatastreams: { found: 1, result: 2 } })
    expect(await both(busy)).toEqual([1, 1])
    expect(await streamsOf()).toEqual([eventStream(busy)])
    const again = await runCleanup(indices, { store, clock })
    expect(again.report).toMatchObject({ expiredEvents: 0, indicesWithoutDatastream: { found: 0 } })
  })

  test('strips executions in both', async () => {
    const { executions, store, clock } = await cleaning.parts(undefined, index)
    const id = await cleaning.newWorkspace()
    const payload = { slug: 'greet', payload: { body: 'private' }, output: [1], duration: 3 }
    await cleaning.fill(id, [20, 1], { type: automationExecuted.type, payload })
    await copy(id)
    expect(await runCleanup(executions, { store, clock })).toEqual({ done: true, report: { stripped: 1 } })
    const payloads = (await found(id)).map((event) => event.payload)
    expect(payloads).toEqual([{ slug: 'greet', duration: 3 }, payload])
  })

  test('deletes the events of a deleted workspace when its store does, and finds what came late', async () => {
    const clock = movableClock()
    const { streams, rebuilt } = await cleaning.parts(clock, index)
    const id = await cleaning.newWorkspace(later(0))
    await cleaning.fill(id, [2, 1])
    await copy(id)
    const { signal } = new AbortController()
    await followTrash(streams)
    await dropDeletedFromIndex(streams, signal)
    const atOnce = index.driver === 'opensearch'
    expect(await both(id)).toEqual([2, atOnce ? 0 : 2])

    await cleaning.service.database.many(
      sql`update permissions.workspaces set deleted_at = null where id = ${id}`,
    )
    await followTrash(streams)
    expect(rebuilt).toEqual(atOnce ? [eventStream(id)] : [])

    await cleaning.service.database.many(
      sql`update permissions.workspaces set deleted_at = ${later(0)} where id = ${id}`,
    )
    await followTrash(streams)
    clock.moveTo(later(31))
    await deleteDue(streams, signal)
    expect(await both(id)).toEqual([0, 0])
    expect(await streamsOf()).not.toContain(eventStream(id))
  })
})
