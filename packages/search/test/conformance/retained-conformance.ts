import { uuidv7 } from '@platform/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PlacedDocument } from '../../src/search.ts'
import type { RetainedUnderTest } from './store-under-test.ts'

const DAY_MS = 86_400_000
const newStream = () => `events-${uuidv7()}`
const all = { sort: 'asc', limit: 100 } as const

/** Documents whose ids are as many days older than now as `ages` says, the oldest first. */
const aged = (
  stream: string,
  ages: readonly number[],
  document: Record<string, unknown> = {},
): PlacedDocument[] =>
  ages.map((age, index) => ({
    stream,
    id: uuidv7(Date.now() - age * DAY_MS),
    sequence: index + 1,
    document: { type: 'aged', payload: { number: index, age }, ...document },
  }))

const executed = (payload: Record<string, unknown>) => ({ type: 'runtime.automations.executed', payload })
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

/** What retention does to a store (port search.ts, `Retained`). */
export function retainedConformance(name: string, open: () => Promise<RetainedUnderTest>): void {
  describe(name, () => {
    let opened: RetainedUnderTest
    beforeAll(async () => {
      opened = await open()
    })
    const keep = async (stream: string, documents: readonly PlacedDocument[]) => {
      await opened.add(documents)
      await opened.refresh(stream)
    }

    it('lists streams by name, with what they hold and their newest', async () => {
      const names = [newStream(), newStream(), newStream()].sort()
      const [first = '', second = '', third = ''] = names
      for (const stream of names) await keep(stream, aged(stream, [3, 2]))
      const found = await opened.store.streams(first, 100)
      const mine = found.filter(({ stream }) => stream === second || stream === third)
      expect(mine.map(({ stream, documents }) => [stream, documents])).toEqual([
        [second, 2],
        [third, 2],
      ])
      expect(Math.abs((mine[0]?.newestAt?.getTime() ?? 0) - daysAgo(2).getTime())).toBeLessThan(60_000)
      expect(found.some(({ stream }) => stream === first)).toBe(false)
      expect(await opened.store.streams(first, 1)).toHaveLength(1)
    })

    it('deletes what is older, at most so many at a time', async () => {
      const stream = newStream()
      const other = newStream()
      await keep(stream, aged(stream, [9, 8, 7, 2, 1]))
      await keep(other, aged(other, [9]))
      expect(await opened.store.deleteBefore(stream, daysAgo(5), 2)).toBe(2)
      await opened.refresh(stream)
      expect(await opened.store.deleteBefore(stream, daysAgo(5), 2)).toBe(1)
      await opened.refresh(stream)
      expect(await opened.store.deleteBefore(stream, daysAgo(5), 2)).toBe(0)
      expect(
        (await opened.store.find(stream, all)).map(({ payload }) => (payload as { age: number }).age),
      ).toEqual([2, 1])
      expect(await opened.store.find(other, all)).toHaveLength(1)
    })

    it('strips old executions of what they were given and gave, and of nothing else', async () => {
      const stream = newStream()
      const full = { slug: 'run', duration: 5, payload: { secret: 'hidden' }, output: ['shown'] }
      await keep(
        stream,
        [
          ...aged(stream, [20, 19], executed(full)),
          ...aged(stream, [18], { type: 'other', payload: full }),
          ...aged(stream, [1], executed(full)),
        ].map((document, index) => ({ ...document, sequence: index + 1 })),
      )
      const before = daysAgo(14)
      expect(await opened.store.stripExecuted(before, 1)).toBe(1)
      await opened.refresh(stream)
      expect(await opened.store.stripExecuted(before, 10)).toBe(1)
      await opened.refresh(stream)
      expect(await opened.store.stripExecuted(before, 10)).toBe(0)
      const kept = { slug: 'run', duration: 5 }
      const payloads = (await opened.store.find(stream, all)).map(({ payload }) => payload)
      expect(payloads).toEqual([kept, kept, full, full])
      expect(await opened.store.find(stream, { ...all, filter: { text: 'hidden' } })).toHaveLength(2)
      expect(
        await opened.store.find(stream, { ...all, filter: { path: 'payload.output', in: ['shown'] } }),
      ).toHaveLength(2)
      expect(await opened.store.find(stream, { ...all, filter: { text: 'run' } })).toHaveLength(4)
    })

    it('deletes a stream and nothing else', async () => {
      const stream = newStream()
      const other = newStream()
      await keep(stream, aged(stream, [3, 2, 1]))
      await keep(other, aged(other, [2, 1]))
      await opened.store.deleteStream(stream)
      await opened.store.deleteStream(newStream())
      await opened.refresh(other)
      expect(await opened.store.find(stream, all)).toEqual([])
      expect(await opened.store.find(other, all)).toHaveLength(2)
    })
  })
}
