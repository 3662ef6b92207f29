import { eventStream } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { documentsOf, type IndexingFixture, indexingFixture, someEvent } from '../../test/indexing-fixture.ts'
import { tendIndex } from './build-index.ts'

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

describe('an index that was out of sight', () => {
  test('and came back without its last documents, as after a kill, is found out and filled again', async () => {
    const stream = await logOf(3, undefined, 2 * 60_000)
    await tend()
    const [last] = [...fixture.memory.documents.keys()].slice(-1)
    fixture.memory.documents.delete(last ?? '')
    await tend()
    expect(indexed(stream)).toBe(2)
    await fixture.store.noteHealth(false)
    await tendIndex(fixture, never, { settleMs: 0 })
    expect(indexed(stream)).toBe(3)
    expect(await fixture.store.find()).toMatchObject({ build: 1, stage: 'ready', isTrusted: true })
  })

  test('because nobody looked after it is compared with the log too', async () => {
    const stream = await logOf(3, undefined, 2 * 60_000)
    await tend()
    const [last] = [...fixture.memory.documents.keys()].slice(-1)
    fixture.memory.documents.delete(last ?? '')
    await fixture.database.many(sql`update events.indexes set well_at = now() - interval '20 s'`)
    await tendIndex(fixture, never, { settleMs: 0 })
    expect(indexed(stream)).toBe(3)
  })

  test('while it was built and lost documents is found out as well', async () => {
    const stream = await logOf(1500, undefined, 2 * 60_000)
    fixture.memory.beforeAdd = async () => {
      const [first] = fixture.memory.documents.keys()
      fixture.memory.documents.delete(first ?? '')
      await fixture.store.noteHealth(false)
    }
    const killed = new AbortController()
    const { counts } = fixture.memory
    fixture.memory.counts = async () => {
      killed.abort(new Error('killed'))
      throw new Error('killed')
    }
    await expect(tend(killed.signal)).rejects.toThrow('killed')
    Object.assign(fixture.memory, { counts, beforeAdd: async () => {} })
    expect(await fixture.store.find()).toMatchObject({ stage: 'comparing', isTrusted: false })
    await tendIndex(fixture, never, { settleMs: 0 })
    expect(indexed(stream)).toBe(1500)
    expect(await fixture.store.find()).toMatchObject({ stage: 'ready', isTrusted: true })
  })

  test('stays distrusted by whoever comes next until it was compared', async () => {
    await logOf(1, undefined, 2 * 60_000)
    await tend()
    await fixture.store.noteHealth(false)
    const leaving = new AbortController()
    const settling = tendIndex(fixture, leaving.signal, { settleMs: 60_000 })
    await vi.waitFor(async () => expect(await fixture.store.find()).toMatchObject({ stage: 'comparing' }))
    leaving.abort()
    await expect(settling).rejects.toThrow()
    expect(await fixture.store.find()).toMatchObject({ stage: 'comparing', isTrusted: false })
  })
})
