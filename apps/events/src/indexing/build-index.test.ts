import { eventStream } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { documentsOf, type IndexingFixture, indexingFixture, someEvent } from '../../test/indexing-fixture.ts'
import { tendIndex } from './build-index.ts'
import { indexEvents } from './index-events.ts'

let fixture: IndexingFixture
beforeEach(async () => {
  fixture = await indexingFixture()
})
afterEach(() => fixture?.[Symbol.asyncDispose]())

const never = new AbortController().signal
const tend = (signal = never) => tendIndex(fixture, signal)

async function logOf(count: number, workspaceId = newWorkspaceId(), ageMs = 0) {
  const events = Array.from({ length: count }, () => someEvent(workspaceId, {}, ageMs))
  await fixture.log.append(documentsOf(events))
  return eventStream(workspaceId)
}

const indexed = (stream: string) => fixture.memory.of(stream).length

describe('the index', () => {
  test('that is new is filled from the log and ready', async () => {
    const streams = [await logOf(1200), await logOf(3)]
    await tend()
    expect(streams.map(indexed)).toEqual([1200, 3])
    expect(await fixture.store.find()).toMatchObject({
      identity: fixture.memory.name,
      stage: 'ready',
      copied: 1203,
      finishedAt: expect.any(Date),
    })
    expect(await fixture.memory.of(streams[0] ?? '')).toEqual(
      await fixture.log.readAfter(0, 1500, streams[0]),
    )
  })

  test('that was wiped is filled again, with all that happened meanwhile', async () => {
    const stream = await logOf(10)
    await tend()
    fixture.memory.wipe()
    await indexEvents(fixture)([someEvent(stream.replace('events-', ''))])
    expect(indexed(stream)).toBe(1)
    await tend()
    expect(indexed(stream)).toBe(11)
    expect(await fixture.store.find()).toMatchObject({ build: 2, stage: 'ready' })
  })

  test('that has lost all streams and not its name is filled again', async () => {
    const stream = await logOf(3)
    await tend()
    fixture.memory.documents.clear()
    await tend()
    expect(indexed(stream)).toBe(0)
    await tendIndex(fixture, never, { thoroughly: true })
    expect(indexed(stream)).toBe(3)
    await tendIndex(fixture, never, { thoroughly: true })
    expect(await fixture.store.find()).toMatchObject({ build: 2, stage: 'ready' })
  })

  test('that is well is left alone', async () => {
    await logOf(2)
    await tend()
    fixture.memory.calls.splice(0)
    await tend()
    expect(fixture.memory.calls).toEqual(['identity'])
  })

  test('is built further where a leader that died was', async () => {
    await logOf(2300)
    const dying = new AbortController()
    const added = () => fixture.memory.calls.filter((call) => call.startsWith('add'))
    fixture.memory.beforeAdd = async () => {
      if (added().length === 1) dying.abort(new Error('killed'))
    }
    await expect(tend(dying.signal)).rejects.toThrow('killed')
    expect(await fixture.store.find()).toMatchObject({ stage: 'building', copied: 2000 })
    await tend()
    expect(added()).toEqual(['add 1000', 'add 1000', 'add 300'])
    expect(await fixture.store.find()).toMatchObject({ stage: 'ready', copied: 2300 })
  })

  test('waits while the store is away, and goes on', async () => {
    const stream = await logOf(5)
    fixture.memory.away = true
    await expect(tend()).rejects.toMatchObject({ unavailable: true })
    fixture.memory.away = false
    await tend()
    expect(indexed(stream)).toBe(5)
  })

  test('takes events that come while it is built once', async () => {
    const stream = await logOf(900)
    const late = someEvent(stream.replace('events-', ''))
    fixture.memory.beforeAdd = async () => {
      fixture.memory.beforeAdd = async () => {}
      await indexEvents(fixture)([late])
    }
    await tend()
    expect(indexed(stream)).toBe(901)
    expect(await fixture.log.readAfter(0, 1000, stream)).toHaveLength(901)
  })

  test('is repaired where it holds other numbers of documents than the log', async () => {
    const lacking = await logOf(4, undefined, 120_000)
    const extra = await logOf(2, undefined, 120_000)
    const fine = await logOf(3)
    await tend()
    const [lost] = fixture.memory.of(lacking)
    fixture.memory.documents.delete(lost?.id ?? '')
    const ghost = someEvent(extra.replace('events-', ''), {}, 120_000)
    fixture.memory.documents.set(ghost.id, { ...documentsOf([ghost])[0], sequence: 1 } as never)
    const build = (await fixture.store.find())?.build ?? 0
    await fixture.store.enter(build, 'comparing')
    await tend()
    expect([lacking, extra, fine].map(indexed)).toEqual([4, 2, 3])
    expect(await fixture.store.rebuilds(10)).toEqual([])
    expect(fixture.memory.calls).not.toContain(`deleteStream ${fine}`)
  })

  test('lacks what was deleted, however it is built', async () => {
    const kept = await logOf(2, undefined, 120_000)
    const deleted = await logOf(3, undefined, 120_000)
    fixture.deleted.add(deleted)
    await tend()
    expect([kept, deleted].map(indexed)).toEqual([2, 0])
    await fixture.store.noteHealth(false)
    await tendIndex(fixture, never, { settleMs: 0 })
    expect(fixture.memory.calls).not.toContain(`deleteStream ${deleted}`)
    await fixture.store.requestStreams([deleted])
    await tend()
    expect([kept, deleted].map(indexed)).toEqual([2, 0])
  })

  test('is emptied and built again when somebody asks, all of it or one stream', async () => {
    const one = await logOf(6)
    const other = await logOf(2)
    await tend()
    const stale = fixture.memory.of(one)[0]
    if (stale !== undefined) stale.document = { stale: true }
    await fixture.store.requestStreams([one])
    await tend()
    expect(fixture.memory.calls.filter((call) => call.startsWith('deleteStream'))).toEqual([
      `deleteStream ${one}`,
    ])
    expect(fixture.memory.of(one).some(({ document }) => 'stale' in document)).toBe(false)

    expect(await fixture.store.requestBuild(await fixture.log.lastSequence())).toBe(true)
    await tend()
    expect(fixture.memory.calls).toContain(`deleteStream ${other}`)
    expect([one, other].map(indexed)).toEqual([6, 2])
    expect(await fixture.store.find()).toMatchObject({ build: 2, stage: 'ready', copied: 8 })
  })

  test('asked for anew while it is built is begun anew', async () => {
    await logOf(1100)
    fixture.memory.beforeAdd = async () => {
      fixture.memory.beforeAdd = async () => {}
      await fixture.store.requestBuild(1100)
    }
    await tend()
    expect(await fixture.store.find()).toMatchObject({ build: 2, stage: 'emptying', cursor: 0 })
    await tend()
    expect(await fixture.store.find()).toMatchObject({ build: 2, stage: 'ready', copied: 1100 })
  })

  test('keeps what it refuses as dead letters', async () => {
    const stream = await logOf(3)
    const [refused] = await fixture.log.readAfter(0, 1, stream)
    fixture.memory.refuse = ({ id }) => (id === refused?.id ? 'no' : undefined)
    await tend()
    expect(fixture.letters).toEqual([
      { group: 'index', eventId: refused?.id, record: refused?.document, reason: 'no' },
    ])
    expect(await fixture.store.find()).toMatchObject({ stage: 'ready' })
  })
})
