import { uuidv7 } from '@platform/kernel'
import { expect, it } from 'vitest'
import type { PlacedDocument } from '../../src/search.ts'
import { caseDocument } from './filter-cases.ts'
import type { SearchUnderTest } from './store-under-test.ts'

const newStream = () => `events-${uuidv7()}`
const all = { sort: 'asc', limit: 100 } as const

const numbered = (stream: string, count: number, ids: readonly string[] = []): PlacedDocument[] =>
  Array.from({ length: count }, (_, number) => ({
    stream,
    id: ids[number] ?? uuidv7(),
    sequence: number + 1,
    document: { type: 'numbered', payload: { number } },
  }))

const numbers = (documents: readonly Record<string, unknown>[]) =>
  documents.map(({ payload }) => (payload as { number: number }).number)

/** How documents of a stream are found: in the order of the log, page by page, and apart from other streams. */
export function readingPromises(opened: () => SearchUnderTest): void {
  const keep = async (stream: string, documents: readonly PlacedDocument[]) => {
    await opened().add(documents)
    await opened().refresh(stream)
  }
  const find = (...parameters: Parameters<SearchUnderTest['search']['find']>) =>
    opened().search.find(...parameters)

  it('finds documents in their order', async () => {
    const stream = newStream()
    await keep(stream, numbered(stream, 5))
    expect(numbers(await find(stream, { sort: 'asc', limit: 10 }))).toEqual([0, 1, 2, 3, 4])
    expect(numbers(await find(stream, { sort: 'desc', limit: 3 }))).toEqual([4, 3, 2])
  })

  it('keeps documents as they were', async () => {
    const stream = newStream()
    await keep(stream, [{ stream, id: uuidv7(), sequence: 1, document: caseDocument }])
    expect(await find(stream, all)).toEqual([caseDocument])
  })

  it('leaves a document of an id that is there already as it is, also within one call', async () => {
    const stream = newStream()
    const [first, second] = numbered(stream, 2)
    if (first === undefined || second === undefined) throw new Error('There must be two documents.')
    await keep(stream, [first])
    await keep(stream, [{ ...first, document: { type: 'changed', payload: { number: 9 } } }, second, second])
    expect(numbers(await find(stream, all))).toEqual([0, 1])
  })

  it('keeps streams apart', async () => {
    const stream = newStream()
    const other = newStream()
    await keep(stream, numbered(stream, 2))
    await keep(other, numbered(other, 1))
    expect(await find(stream, all)).toHaveLength(2)
    expect(await find(`${stream}-no`, all)).toEqual([])
    expect(await find(newStream(), all)).toEqual([])
  })

  it('pages by number', async () => {
    const stream = newStream()
    await keep(stream, numbered(stream, 7))
    expect(numbers(await find(stream, { sort: 'desc', limit: 3 }))).toEqual([6, 5, 4])
    expect(numbers(await find(stream, { sort: 'desc', limit: 3, page: 2 }))).toEqual([0])
    expect(numbers(await find(stream, { sort: 'desc', limit: 3, page: 3 }))).toEqual([])
  })

  it('pages by document, exclusively, in the order of the log', async () => {
    const stream = newStream()
    // The ids run backwards: the order is the log's own.
    const ids = Array.from({ length: 5 }, () => uuidv7())
      .sort()
      .reverse()
    await keep(stream, numbered(stream, 5, ids))
    const [first = '', , middle = '', fourth = ''] = ids
    expect(numbers(await find(stream, { sort: 'desc', limit: 9, beforeId: middle }))).toEqual([1, 0])
    expect(numbers(await find(stream, { sort: 'asc', limit: 9, afterId: middle }))).toEqual([3, 4])
    expect(numbers(await find(stream, { ...all, afterId: first, beforeId: fourth }))).toEqual([1, 2])
  })

  it('goes on from the time of a document that isn’t there', async () => {
    const stream = newStream()
    const idAt = (ms: number) => uuidv7(1_790_000_000_000 + ms)
    const [, second, , fourth] = numbered(stream, 4)
    if (second === undefined || fourth === undefined) throw new Error('There must be four documents.')
    await keep(stream, [
      { ...second, id: idAt(1) },
      { ...fourth, id: idAt(3) },
    ])
    expect(numbers(await find(stream, { ...all, afterId: idAt(2) }))).toEqual([3])
    expect(numbers(await find(stream, { ...all, beforeId: idAt(2) }))).toEqual([1])
    expect(numbers(await find(stream, { ...all, afterId: idAt(0) }))).toEqual([1, 3])
    expect(numbers(await find(stream, { ...all, beforeId: idAt(0) }))).toEqual([])
  })

  it('filters before it counts', async () => {
    const stream = newStream()
    await keep(stream, numbered(stream, 30))
    const filter = { path: 'payload.number', in: [3, 17, 29] }
    expect(numbers(await find(stream, { sort: 'desc', limit: 2, filter }))).toEqual([29, 17])
    expect(numbers(await find(stream, { sort: 'desc', limit: 2, page: 1, filter }))).toEqual([3])
    expect(numbers(await find(stream, { sort: 'desc', limit: 2, page: 2, filter }))).toEqual([])
  })

  it('takes a probe', async () => {
    await expect(opened().search.probe(AbortSignal.timeout(5000))).resolves.toBeUndefined()
  })
}
