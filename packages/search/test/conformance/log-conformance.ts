import { uuidv7 } from '@platform/kernel'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { GroupedField, Log } from '../../src/log.ts'
import type { PlacedDocument, StreamDocument } from '../../src/search.ts'

const newStream = () => `events-${uuidv7()}`
const numbered = (stream: string, count: number, ms = Date.now()): StreamDocument[] =>
  Array.from({ length: count }, (_, number) => ({
    stream,
    id: uuidv7(ms),
    document: { type: 'numbered', payload: { number } },
  }))

/** What the log promises beyond search (port log.ts). `open` returns two handles on the same log. */
export function logConformance(name: string, open: () => Promise<readonly [Log, Log]>): void {
  describe(name, () => {
    let log: Log
    let other: Log
    beforeAll(async () => {
      ;[log, other] = await open()
    })

    it('gives sequences in the order of appending', async () => {
      const stream = newStream()
      const documents = numbered(stream, 4)
      await log.append(documents.slice(2))
      await other.append(documents)
      const sequences = await log.sequencesOf([...documents.map(({ id }) => id), uuidv7()])
      const order = documents.map(({ id }) => sequences.get(id) ?? Number.NaN)
      expect(sequences.size).toBe(4)
      expect([order[2], order[3], order[0], order[1]]).toEqual([...order].sort((a, b) => a - b))
      expect(await log.sequencesOf([])).toEqual(new Map())
      expect(await log.lastSequence()).toBeGreaterThanOrEqual(order[1] ?? Number.NaN)
    })

    it('is read on from a sequence, of one stream and of all', async () => {
      const stream = newStream()
      const another = newStream()
      const start = await log.lastSequence()
      await log.append([...numbered(stream, 2), ...numbered(another, 2), ...numbered(stream, 1)])
      const all = await log.readAfter(start, 100)
      expect(all.map((document) => document.stream)).toEqual([stream, stream, another, another, stream])
      const mine = await log.readAfter(start, 2, stream)
      expect(mine).toEqual(all.slice(0, 2))
      expect(await log.readAfter(mine[1]?.sequence ?? 0, 9, stream)).toEqual(all.slice(4))
      expect(await log.readAfter(await log.lastSequence(), 9)).toEqual([])
    })

    /** The groups of documents that are appended alone, each in a stream of its own. */
    const groupsOf = async (
      documents: readonly Record<string, unknown>[],
      fields: readonly GroupedField[],
    ) => {
      const start = await log.lastSequence()
      for (const document of documents) await log.append([{ stream: newStream(), id: uuidv7(), document }])
      const grouping = { types: ['a', 'b'], fields }
      const groups = await log.groupsAfter(start, 100, grouping)
      expect(groups.map(({ sequence }) => sequence)).toEqual(
        groups.map(({ sequence }) => sequence).sort((one, another) => one - another),
      )
      expect(groups.at(-1)?.sequence).toBe(await log.lastSequence())
      return { start, grouping, groups: groups.map(({ count, document }) => ({ count, document })) }
    }
    const type: GroupedField = { path: ['type'] }

    it('groups what is alike, of all streams', async () => {
      const { groups } = await groupsOf(
        [
          { type: 'a', payload: { trigger: { type: 'event', value: 'x' }, none: null } },
          { type: 'b', payload: { trigger: { type: 'event' } } },
          { type: 'a', payload: { trigger: { type: 'event', value: 'y' } }, source: {} },
          { type: 'a', payload: { trigger: { type: 'event' } }, source: { userId: 'ada' } },
        ],
        [
          type,
          { path: ['payload', 'trigger', 'type'] },
          { path: ['payload', 'none'] },
          { path: ['source', 'userId'] },
        ],
      )
      const payload = { trigger: { type: 'event' } }
      expect(groups).toEqual([
        { count: 1, document: { type: 'b', payload } },
        { count: 2, document: { type: 'a', payload } },
        { count: 1, document: { type: 'a', payload, source: { userId: 'ada' } } },
      ])
    })

    it('looks into no document of another type', async () => {
      const { groups } = await groupsOf(
        [{ type: 'a', n: 1 }, { type: 'c', n: 1 }, { n: 2 }, { type: ['a'], n: 3 }, { type: 'a', n: 1 }],
        [type, { path: ['n'], isAlone: true }],
      )
      const alone = { count: 1, document: { type: 'a', n: 1 } }
      expect(groups).toEqual([alone, { count: 3, document: {} }, alone])
    })

    it('cuts texts before it compares them', async () => {
      const at = (createdAt: unknown) => ({ type: 'a', createdAt })
      const { groups } = await groupsOf(
        [
          at('2026-05-04T10'),
          at('2026-05-05T00'),
          at('2026-05-04T23'),
          at(5),
          at(null),
          { type: 'a' },
          at('ÄÖÜäöü😀12345'),
        ],
        [type, { path: ['createdAt'], cutTo: 10 }],
      )
      expect(groups).toEqual([
        { count: 1, document: at('2026-05-05') },
        { count: 2, document: at('2026-05-04') },
        { count: 1, document: at('5') },
        { count: 2, document: { type: 'a' } },
        { count: 1, document: at('ÄÖÜäöü😀123') },
      ])
    })

    it('leaves documents with a field alone, in their order', async () => {
      const report = (value: unknown) => ({ type: 'a', payload: { metrics: value } })
      const without = { type: 'a', payload: { left: 'out' } }
      const reports = [report({ n: 1 }), report({ n: 2 }), report({ n: 1 }), report(''), report({})]
      const { groups } = await groupsOf(
        [without, ...reports.slice(0, 2), report(null), ...reports.slice(2), without],
        [type, { path: ['payload', 'metrics'], isAlone: true }],
      )
      expect(groups).toEqual([
        ...reports.map((document) => ({ count: 1, document })),
        { count: 3, document: { type: 'a' } },
      ])
    })

    it('groups documents of any shape', async () => {
      const odd = [
        null,
        'text',
        5,
        true,
        [],
        ['trigger'],
        {},
        { trigger: null },
        { trigger: 'text' },
        { trigger: [{}] },
      ]
      const { groups } = await groupsOf(
        [
          {},
          { type: 'a' },
          { type: 5 },
          ...odd.map((value) => ({ type: 'a', payload: value, source: value })),
        ],
        [type, { path: ['payload', 'trigger', 'type'] }, { path: ['source', '0'], cutTo: 3, isAlone: true }],
      )
      expect(groups).toEqual([
        { count: 2, document: {} },
        { count: 1, document: { type: 'a', source: { 0: 'tri' } } },
        { count: 10, document: { type: 'a' } },
      ])
    })

    it('groups as many documents as were asked for, and goes on after them', async () => {
      const documents = ['a', 'a', 'b', 'a', 'b'].map((type) => ({ type }))
      const { start, grouping } = await groupsOf(documents, [type])
      const first = await log.groupsAfter(start, 3, grouping)
      expect(first.map(({ count, document }) => [count, document.type])).toEqual([
        [2, 'a'],
        [1, 'b'],
      ])
      const second = await log.groupsAfter(first.at(-1)?.sequence ?? 0, 3, grouping)
      expect(second.map(({ count, document }) => [count, document.type])).toEqual([
        [1, 'a'],
        [1, 'b'],
      ])
      expect(await log.groupsAfter(second.at(-1)?.sequence ?? 0, 3, grouping)).toEqual([])
    })

    it('loses nothing to a reader who follows while several append', async () => {
      const streams = [newStream(), newStream()]
      let cursor = await log.lastSequence()
      const seen: PlacedDocument[] = []
      const writers = [log, other, log, other].map(async (handle, writer) => {
        for (let round = 0; round < 25; round += 1)
          await handle.append(numbered(streams[writer % 2] ?? '', 1 + ((round + writer) % 3)))
      })
      const writing = { ended: false }
      const ended = Promise.all(writers).then(() => {
        writing.ended = true
      })
      for (;;) {
        const isLast = writing.ended
        const news = await other.readAfter(cursor, 7)
        seen.push(...news)
        cursor = news.at(-1)?.sequence ?? cursor
        if (isLast && news.length === 0) break
      }
      await ended
      const mine = seen.filter(({ stream }) => streams.includes(stream))
      const kept = await Promise.all(streams.map((stream) => log.readAfter(0, 1000, stream)))
      expect(new Set(mine.map(({ id }) => id))).toEqual(new Set(kept.flat().map(({ id }) => id)))
      expect(mine).toHaveLength(199)
    })

    it('knows its end, and the newest document of a stream there', async () => {
      const stream = newStream()
      const another = newStream()
      await log.append(numbered(another, 1))
      expect(await log.endOf(stream)).toEqual({ sequence: await log.lastSequence(), newestId: undefined })
      const documents = numbered(stream, 3)
      await log.append(documents)
      await log.append(numbered(another, 1))
      const end = { sequence: await log.lastSequence(), newestId: documents[2]?.id }
      expect(await other.endOf(stream)).toEqual(end)
    })

    it('knows the place of a document, and where one would be', async () => {
      const stream = newStream()
      const ms = 1_790_000_000_000
      const [early, late] = [...numbered(stream, 1, ms), ...numbered(stream, 1, ms + 10)]
      if (early === undefined || late === undefined) throw new Error('There must be two documents.')
      await log.append([early, late])
      const sequences = await log.sequencesOf([early.id, late.id])
      expect(await log.placeOf(stream, late.id)).toBe(sequences.get(late.id))
      expect(await log.placeOf(stream, uuidv7(ms + 5))).toBe(sequences.get(early.id))
      expect(await log.placeOf(stream, uuidv7(ms + 50))).toBe(sequences.get(late.id))
      expect(await log.placeOf(stream, uuidv7(ms - 5))).toBe(0)
      expect(await log.placeOf(newStream(), late.id)).toBe(0)
    })

    it('tells listeners of every commit that appended', async () => {
      const onNews = vi.fn()
      await using listening = await other.listen(onNews, () => undefined)
      expect(listening).toBeDefined()
      await log.append(numbered(newStream(), 3))
      await vi.waitFor(() => expect(onNews).toHaveBeenCalled(), { timeout: 10_000 })
    })

    it('counts the documents of each stream', async () => {
      const names = [newStream(), newStream()].sort()
      const [first = '', second = ''] = names
      await log.append([...numbered(first, 2), ...numbered(second, 3)])
      const counted = await log.counts(undefined, 10_000)
      expect(counted.filter(({ stream }) => names.includes(stream))).toEqual([
        { stream: first, documents: 2 },
        { stream: second, documents: 3 },
      ])
      expect((await log.counts(first, 1)).map(({ stream }) => stream > first)).toEqual([true])
    })

    it('appends nothing without complaint', async () => {
      await expect(log.append([])).resolves.toBeUndefined()
    })
  })
}
