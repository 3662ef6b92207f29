import { eventStream } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type IndexingFixture,
  indexingFixture,
  ScriptedIndex,
  someEvent,
} from '../../test/indexing-fixture.ts'
import { appendToLog } from '../event-log/append-to-log.ts'
import { indexEvents } from './index-events.ts'

let fixture: IndexingFixture
beforeAll(async () => {
  fixture = await indexingFixture()
  await fixture.store.begin('index-of-the-tests', 0)
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

/** One with an index of its own. */
function indexing() {
  const memory = new ScriptedIndex()
  return { memory, handle: indexEvents({ ...fixture, index: memory }) }
}

beforeEach(() => void fixture.letters.splice(0))

describe('the group of the index', () => {
  test('copies events with their places in the log, to which it appends what is not there yet', async () => {
    const { memory, handle } = indexing()
    const workspaceId = newWorkspaceId()
    const events = [someEvent(workspaceId), someEvent(workspaceId), someEvent(workspaceId)]
    await appendToLog(fixture)(events.slice(0, 1))
    await handle(events)

    const logged = await fixture.log.readAfter(0, 10, eventStream(workspaceId))
    expect(logged.map(({ id }) => id)).toEqual(events.map(({ id }) => id))
    expect(memory.of(eventStream(workspaceId))).toEqual(logged)
    expect((await fixture.store.find())?.reached).toBe(logged.at(-1)?.sequence)
  })

  test('that gets a batch again changes nothing', async () => {
    const { memory, handle } = indexing()
    const events = [someEvent(), someEvent()]
    await handle(events)
    const before = [...memory.documents.values()]
    await handle(events)
    expect([...memory.documents.values()]).toEqual(before)
  })

  test('leaves out what is only to be seen live', async () => {
    const { memory, handle } = indexing()
    const live = someEvent(undefined, { options: { persist: false } })
    await handle([live])
    await appendToLog(fixture)([live])
    expect(memory.calls).toEqual([])
    expect(await fixture.log.sequencesOf([live.id])).toEqual(new Map())
  })

  test('keeps what is refused as a dead letter with its reason; the rest goes on', async () => {
    const { memory, handle } = indexing()
    const good = someEvent()
    const bad = someEvent()
    const alsoGood = someEvent()
    memory.refuse = ({ id }) => (id === bad.id ? 'mapper_parsing_exception: no' : undefined)
    await handle([good, bad, alsoGood])
    expect([...memory.documents.keys()]).toEqual([good.id, alsoGood.id])
    expect(fixture.letters).toEqual([
      { group: 'index', eventId: bad.id, record: bad, reason: 'mapper_parsing_exception: no' },
    ])
    expect((await fixture.log.sequencesOf([bad.id])).size).toBe(1)
  })

  test('rejects with an outage while the index is away, and has the events in the log all the same', async () => {
    const { memory, handle } = indexing()
    const event = someEvent()
    memory.away = true
    await expect(handle([event])).rejects.toMatchObject({ name: 'SearchError', unavailable: true })
    expect((await fixture.log.sequencesOf([event.id])).size).toBe(1)
    expect(fixture.letters).toEqual([])
    memory.away = false
    await handle([event])
    expect(memory.documents.size).toBe(1)
  })

  test('notes that it is late when events have waited', async () => {
    const { handle } = indexing()
    await handle([someEvent()])
    expect((await fixture.store.find())?.isLate).toBe(false)
    await handle([someEvent(undefined, {}, 60_000)])
    expect((await fixture.store.find())?.isLate).toBe(true)
  })
})
