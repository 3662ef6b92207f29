import { eventStream } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentsOf, type IndexingFixture, indexingFixture, someEvent } from '../../test/indexing-fixture.ts'
import { tendIndex } from './build-index.ts'
import { FreshStreams } from './fresh-streams.ts'
import { IndexCounts } from './index-counts.ts'
import { IndexTrust } from './index-trust.ts'
import { LostStreams } from './lost-streams.ts'
import { searchOf } from './search-of.ts'

let fixture: IndexingFixture
beforeAll(async () => {
  fixture = await indexingFixture()
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

const OLD_MS = 2 * 60_000
const newest = { sort: 'desc', limit: 10 } as const
const tend = () => tendIndex(fixture, new AbortController().signal, { settleMs: 0 })

/** A stream with one event of this age, built into the index and then deleted from it behind its back. */
async function lostStream(ageMs: number): Promise<string> {
  const stream = eventStream(newWorkspaceId())
  await fixture.log.append(documentsOf([someEvent(stream.replace('events-', ''), {}, ageMs)]))
  await fixture.store.requestBuild(await fixture.log.lastSequence())
  await tend()
  await fixture.index.deleteStream(stream)
  fixture.memory.calls.splice(0)
  return stream
}

function newProcess() {
  const counts = new IndexCounts()
  let wakes = 0
  const store = {
    ...fixture.store,
    async wakeLeader() {
      wakes += 1
      return []
    },
  }
  const deps = { ...fixture, counts, trust: new IndexTrust(fixture), fresh: new FreshStreams(fixture) }
  const search = searchOf({ ...deps, lost: new LostStreams({ ...fixture, store }) })
  return { search, counts, wakes: () => wakes }
}

test('a stream that the index has lost is answered by the log at once, and then built again', async () => {
  const stream = await lostStream(OLD_MS)
  const { search, counts, wakes } = newProcess()
  expect(await search.find(stream, newest)).toHaveLength(1)
  const all = { filter: { all: [] }, aggregations: {}, limit: 0, offset: 0, sort: [], countAll: true }
  expect((await search.analyse(stream, all)).total).toBe(1)
  expect([counts.answeredByLog.lost, wakes()]).toEqual([2, 1])
  await tend()
  expect(fixture.memory.of(stream)).toHaveLength(1)
  const later = newProcess()
  expect(await later.search.find(stream, newest)).toHaveLength(1)
  expect(later.counts.answeredByIndex).toBe(1)
})

test('a stream whose first event is on its way into the index is read from the log, and nothing is built', async () => {
  const stream = await lostStream(1000)
  const { search, wakes } = newProcess()
  expect(await search.find(stream, newest)).toHaveLength(1)
  expect(wakes()).toBe(0)
})

test('an empty answer of a stream that is there is the index’s own, and asked about once a second', async () => {
  const stream = eventStream(newWorkspaceId())
  await fixture.log.append(documentsOf([someEvent(stream.replace('events-', ''))]))
  await fixture.store.requestBuild(await fixture.log.lastSequence())
  await tend()
  fixture.memory.calls.splice(0)
  const { search, counts } = newProcess()
  const none = { ...newest, filter: { path: 'type', in: ['nothing.such'] } }
  for (let count = 0; count < 5; count += 1) expect(await search.find(stream, none)).toEqual([])
  expect(counts.answeredByIndex).toBe(5)
  expect(fixture.memory.calls.filter((call) => call === 'find')).toHaveLength(6)
})
