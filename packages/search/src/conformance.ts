import { uuidv7 } from '@platform/kernel'
import { describe, expect, it } from 'vitest'
import { caseDocument, filterCases } from './filter-cases.ts'
import { matches } from './matches.ts'
import type { Search, StreamDocument } from './search.ts'

const newStream = () => `events-${uuidv7()}`
const numbered = (stream: string, count: number): StreamDocument[] =>
  Array.from({ length: count }, (_, number) => ({
    stream,
    id: uuidv7(),
    document: { type: 'numbered', number },
  }))
const numbers = (documents: Record<string, unknown>[]) => documents.map(({ number }) => number)
const all = { sort: 'asc', limit: 100 } as const

/** What every search store promises (port search.ts), and that it reads filters as `matches` does. */
export function searchConformance(search: () => Search): void {
  describe('search', () => {
    it('finds documents in the order they were appended', async () => {
      const stream = newStream()
      await search().append(numbered(stream, 3))
      await search().append(numbered(stream, 2))
      expect(numbers(await search().find(stream, { sort: 'asc', limit: 10 }))).toEqual([0, 1, 2, 0, 1])
      expect(numbers(await search().find(stream, { sort: 'desc', limit: 3 }))).toEqual([1, 0, 2])
    })

    it('keeps documents as they were', async () => {
      const stream = newStream()
      await search().append([{ stream, id: uuidv7(), document: caseDocument }])
      expect(await search().find(stream, all)).toEqual([caseDocument])
    })

    it('ignores an id that is there already, also within one call', async () => {
      const stream = newStream()
      const [document] = numbered(stream, 1)
      if (document === undefined) throw new Error('There must be a document.')
      await search().append([document])
      await search().append([{ ...document, document: { type: 'changed' } }, ...numbered(stream, 1)])
      expect((await search().find(stream, all)).map(({ type }) => type)).toEqual(['numbered', 'numbered'])
    })

    it('keeps streams apart', async () => {
      const [stream, other] = [newStream(), newStream()]
      await search().append([...numbered(stream, 2), ...numbered(other, 1)])
      expect(await search().find(stream, all)).toHaveLength(2)
      expect(await search().find(`${stream}%`, all)).toEqual([])
      expect(await search().find(newStream(), all)).toEqual([])
    })

    it('pages by number', async () => {
      const stream = newStream()
      await search().append(numbered(stream, 7))
      expect(numbers(await search().find(stream, { sort: 'desc', limit: 3 }))).toEqual([6, 5, 4])
      expect(numbers(await search().find(stream, { sort: 'desc', limit: 3, page: 2 }))).toEqual([0])
      expect(numbers(await search().find(stream, { sort: 'desc', limit: 3, page: 3 }))).toEqual([])
    })

    it('pages by document, exclusively, in the order of the stream', async () => {
      const stream = newStream()
      const documents = numbered(stream, 5)
      const ids = documents
        .map(({ id }) => id)
        .sort()
        .reverse()
      // The ids run backwards: the order is the server's own.
      await search().append(documents.map((document, index) => ({ ...document, id: ids[index] ?? '' })))
      const middle = ids[2] ?? ''
      expect(numbers(await search().find(stream, { sort: 'desc', limit: 9, beforeId: middle }))).toEqual([
        1, 0,
      ])
      expect(numbers(await search().find(stream, { sort: 'asc', limit: 9, afterId: middle }))).toEqual([3, 4])
      expect(
        numbers(await search().find(stream, { ...all, afterId: ids[0] ?? '', beforeId: ids[3] ?? '' })),
      ).toEqual([1, 2])
    })

    it('goes on from the time of a document that isn’t there', async () => {
      const stream = newStream()
      const idAt = (ms: number) => uuidv7(1_790_000_000_000 + ms)
      await search().append([
        { stream, id: idAt(1), document: { number: 1 } },
        { stream, id: idAt(3), document: { number: 3 } },
      ])
      expect(numbers(await search().find(stream, { ...all, afterId: idAt(2) }))).toEqual([3])
      expect(numbers(await search().find(stream, { ...all, beforeId: idAt(2) }))).toEqual([1])
      expect(numbers(await search().find(stream, { ...all, afterId: idAt(0) }))).toEqual([1, 3])
      expect(numbers(await search().find(stream, { ...all, beforeId: idAt(0) }))).toEqual([])
    })

    it('filters before it counts', async () => {
      const stream = newStream()
      await search().append(numbered(stream, 30))
      const filter = { path: 'number', in: [3, 17, 29] }
      expect(numbers(await search().find(stream, { sort: 'desc', limit: 2, filter }))).toEqual([29, 17])
      expect(numbers(await search().find(stream, { sort: 'desc', limit: 2, page: 1, filter }))).toEqual([3])
    })

    it('appends from several callers at once', async () => {
      const stream = newStream()
      const documents = numbered(stream, 40)
      await Promise.all(
        [0, 1, 2, 3].map((part) =>
          search().append([...documents.slice(part * 10, part * 10 + 10), ...documents.slice(0, 5)]),
        ),
      )
      expect(new Set(numbers(await search().find(stream, all))).size).toBe(40)
    })

    it('deletes a stream and nothing else', async () => {
      const [stream, other] = [newStream(), newStream()]
      await search().append([...numbered(stream, 12), ...numbered(other, 2)])
      await search().deleteStream(stream)
      await search().deleteStream(newStream())
      expect(await search().find(stream, all)).toEqual([])
      expect(await search().find(other, all)).toHaveLength(2)
    })

    it('answers a probe', async () => {
      await expect(search().probe(AbortSignal.timeout(2000))).resolves.toBeUndefined()
    })
  })

  describe('filters', () => {
    const stream = newStream()
    it('has a document to try them on', async () => {
      await search().append([{ stream, id: uuidv7(), document: caseDocument }])
    })
    it.each(filterCases)('%s', async (_, filter, expected) => {
      expect(matches(filter, caseDocument)).toBe(expected)
      expect(await search().find(stream, { ...all, filter })).toHaveLength(expected ? 1 : 0)
    })
  })
}
