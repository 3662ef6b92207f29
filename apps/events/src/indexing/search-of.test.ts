import { eventStream } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { SearchError } from '@platform/search'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentsOf, type IndexingFixture, indexingFixture, someEvent } from '../../test/indexing-fixture.ts'
import { tendIndex } from './build-index.ts'
import { FreshStreams } from './fresh-streams.ts'
import { IndexCounts } from './index-counts.ts'
import { indexEvents } from './index-events.ts'
import { IndexTrust } from './index-trust.ts'
import { LostStreams } from './lost-streams.ts'
import { searchOf } from './search-of.ts'

let fixture: IndexingFixture
let stream: string
beforeAll(async () => {
  fixture = await indexingFixture()
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

beforeEach(async () => {
  fixture.memory.away = false
  fixture.memory.wipe()
  stream = eventStream(newWorkspaceId())
  await fixture.log.append(documentsOf([someEvent(stream.replace('events-', ''))]))
  await tendIndex(fixture, new AbortController().signal)
  fixture.memory.calls.splice(0)
})

/** What one process has of it: nothing is known yet. */
function newProcess() {
  const counts = new IndexCounts()
  const trust = new IndexTrust(fixture)
  const lost = new LostStreams({ ...fixture, store: { ...fixture.store, wakeLeader: async () => [] } })
  const search = searchOf({ ...fixture, counts, trust, fresh: new FreshStreams(fixture), lost })
  const feed = () => search.find(stream, { sort: 'desc', limit: 10 })
  return { counts, search, feed, trust }
}

const finds = () => fixture.memory.calls.filter((call) => call === 'find').length
const query = { filter: { all: [] }, aggregations: {}, limit: 0, offset: 0, sort: [], countAll: true }

describe('reading', () => {
  test('is answered by the index while it is well and complete', async () => {
    const { feed, search, counts } = newProcess()
    expect(await feed()).toHaveLength(1)
    expect((await search.analyse(stream, query)).total).toBe(1)
    expect(counts).toMatchObject({ answeredByIndex: 2 })
    expect(finds()).toBe(1)
  })

  test('is answered by the log when the index is away, and does not ask it again at once', async () => {
    const { feed, counts } = newProcess()
    await feed()
    fixture.memory.away = true
    fixture.memory.calls.splice(0)
    for (let count = 0; count < 20; count += 1) expect(await feed()).toHaveLength(1)
    expect(counts.answeredByLog.away).toBe(20)
    expect(finds()).toBeLessThanOrEqual(1)
  })

  test('comes back to the index when it is well again, and nobody waits for that', async () => {
    const { feed, counts } = newProcess()
    fixture.memory.away = true
    await feed()
    fixture.memory.away = false
    await vi.waitFor(
      async () => {
        expect(await feed()).toHaveLength(1)
        expect(counts.answeredByIndex).toBeGreaterThan(0)
      },
      { timeout: 5000, interval: 50 },
    )
  })

  test('waits a second at most for an index that hangs', async () => {
    const { feed, counts } = newProcess()
    const hanging = vi.spyOn(fixture.index, 'identity').mockReturnValue(new Promise(() => {}))
    const startedAt = performance.now()
    expect(await Promise.all([feed(), feed(), feed()])).toHaveLength(3)
    expect(performance.now() - startedAt).toBePrompt(2500)
    expect(counts.answeredByLog.away).toBe(3)
    const again = performance.now()
    await feed()
    expect(performance.now() - again).toBePrompt(500)
    hanging.mockRestore()
  })

  test('is answered by the log when the index was wiped, until it is built again', async () => {
    const { feed, counts } = newProcess()
    fixture.memory.wipe()
    expect(await feed()).toHaveLength(1)
    expect(counts.answeredByLog.incomplete).toBe(1)
    await tendIndex(fixture, new AbortController().signal)
    const later = newProcess()
    expect(await later.feed()).toHaveLength(1)
    expect(later.counts.answeredByIndex).toBe(1)
  })

  test('of a stream that is built again alone is answered by the log, others by the index', async () => {
    await fixture.store.requestStreams([stream])
    const { feed, search, counts } = newProcess()
    await feed()
    await search.analyse(undefined, query)
    expect(counts.answeredByLog.rebuilding).toBe(2)
    await search.find('events-other', { sort: 'desc', limit: 1 })
    expect(counts.answeredByIndex).toBe(1)
    await tendIndex(fixture, new AbortController().signal)
  })

  test('is answered by the log while events have waited long for the index', async () => {
    const waiting = someEvent(stream.replace('events-', ''), {}, 30_000)
    await fixture.log.append(documentsOf([waiting]))
    const { feed, counts } = newProcess()
    expect(await feed()).toHaveLength(2)
    expect(counts.answeredByLog.late).toBe(1)
    await indexEvents(fixture)([waiting])
    await fixture.database.many(sql`update events.indexes set late_at = null`)
    const later = newProcess()
    expect(await later.feed()).toHaveLength(2)
    expect(later.counts.answeredByIndex).toBe(1)
  })

  test('of one that is too much for the index sends nobody else to the log', async () => {
    const { feed, search, counts } = newProcess()
    for (const code of ['TIMEOUT', 'TimeoutError', 'circuit_breaking_exception', undefined]) {
      const tooMuch = new SearchError('Not in time.', { unavailable: true, code })
      const analyse = vi.spyOn(fixture.index, 'analyse').mockRejectedValueOnce(tooMuch)
      expect((await search.analyse(stream, query)).total).toBe(1)
      expect(await Promise.all([feed(), feed()])).toHaveLength(2)
      analyse.mockRestore()
    }
    expect(counts).toMatchObject({ answeredByIndex: 8, answeredByLog: { failed: 4, away: 0 } })
  })

  test('is answered by the log at once while the index knows its name and can not search', async () => {
    const { feed, search, counts } = newProcess()
    await feed()
    const busy = new SearchError('Busy.', { unavailable: true, code: 'rejected_execution_exception' })
    const find = vi.spyOn(fixture.index, 'find').mockRejectedValue(busy)
    for (let count = 0; count < 20; count += 1) expect(await feed()).toHaveLength(1)
    expect((await search.analyse(stream, query)).total).toBe(1)
    // The first reader's question, and one of our own.
    expect(find).toHaveBeenCalledTimes(2)
    expect(counts.answeredByLog).toMatchObject({ failed: 1, away: 20 })
    find.mockRestore()
    await vi.waitFor(
      async () => {
        await feed()
        expect(counts.answeredByIndex).toBeGreaterThan(1)
      },
      { timeout: 5000, interval: 50 },
    )
  })

  test('that the index can not do is done by the log; what neither may do is refused', async () => {
    const { search, counts } = newProcess()
    const analyse = vi.spyOn(fixture.index, 'analyse')
    analyse.mockRejectedValueOnce(new SearchError('Not here.', { unavailable: false, code: 'UNSUPPORTED' }))
    expect((await search.analyse(stream, query)).total).toBe(1)
    expect(counts.answeredByLog.unsupported).toBe(1)
    analyse.mockRejectedValueOnce(
      new SearchError('Too many.', { unavailable: false, code: 'TOO_MANY_VALUES' }),
    )
    await expect(search.analyse(stream, query)).rejects.toMatchObject({ code: 'TOO_MANY_VALUES' })
    analyse.mockRestore()
  })

  test('refreshes a stream with fresh writes first, at most once a second', async () => {
    const { feed } = newProcess()
    const refreshes = () => fixture.memory.calls.filter((call) => call === `refresh ${stream}`).length
    await Promise.all(Array.from({ length: 10 }, feed))
    expect(refreshes()).toBe(1)
    await feed()
    expect(refreshes()).toBe(1)
  })
})
