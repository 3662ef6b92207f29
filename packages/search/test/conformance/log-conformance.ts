import { uuidv7 } from '@platform/kernel'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { Log } from '../../src/log.ts'
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

    it('is read in excerpts, of all streams', async () => {
      const [stream, another] = [newStream(), newStream()]
      const start = await log.lastSequence()
      const document = {
        type: 'a',
        payload: { trigger: { type: 'event', value: 'x' }, left: 'out', none: null },
      }
      await log.append([{ stream, id: uuidv7(), document }])
      await log.append([{ stream: another, id: uuidv7(), document: { type: 'b', payload: ['no record'] } }])
      const fields = [
        ['type'],
        ['payload', 'trigger', 'type'],
        ['payload', 'none'],
        ['source', 'userId'],
      ] as const
      const excerpts = await log.readFieldsAfter(start, 10, fields)
      expect(excerpts.map((excerpt) => excerpt.document)).toEqual([
        { type: 'a', payload: { trigger: { type: 'event' } } },
        { type: 'b' },
      ])
      const [first, second] = excerpts
      expect(await log.readFieldsAfter(first?.sequence ?? 0, 1, [['type']])).toEqual([
        { sequence: second?.sequence, document: { type: 'b' } },
      ])
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
