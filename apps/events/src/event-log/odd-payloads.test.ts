import { emitEvents, listEvents, searchEvents } from '@platform/contracts'
import { describe, expect, vi } from 'vitest'
import { test } from '../../test/service-fixture.ts'

const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { level: deep(levels - 1) })
const lists = (levels: number): unknown => (levels === 0 ? ['bottom'] : [lists(levels - 1)])

/** Shapes that stores of documents stumble over. */
const shapes: [name: string, payload: Record<string, unknown>][] = [
  ['a leaf of 40 KB', { text: 'x'.repeat(40_000) }],
  ['a leaf of 40 KB beyond ASCII', { text: 'é'.repeat(40_000) }],
  ['a word of 40 KB in a text', { text: `begin ${'y'.repeat(40_000)} end` }],
  ['60 levels', { deep: deep(56) }],
  ['lists in lists', { lists: lists(50) }],
  ['a key of 40 KB', { ['k'.repeat(40_000)]: 1 }],
  ['an empty key', { '': 'nothing', inner: { '': { '': 1 } } }],
  ['keys with dots', { 'a.b.c': 1, 'a.b': { 'c.d': 2 }, '.': 3, '..': 4 }],
  ['null', { nothing: null, list: [null, null] }],
  ['the same key as text, number, object and list', { mixed: [1, 'one', { one: 1 }, [1], null, true] }],
  ['5,000 keys', Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key-${n}`, n]))],
  ['5,000 values', { values: Array.from({ length: 5000 }, (_, n) => `value ${n}`) }],
  [
    'huge and tiny numbers',
    { huge: 1.7976931348623157e308, tiny: 5e-324, negative: -0, long: 9_007_199_254_740_991 },
  ],
  [
    'keys of the query language',
    { query: { match_all: {} }, script: 'ctx._source', _id: 'x', _index: 'y', '@timestamp': 'z' },
  ],
  ['keys of an event', { id: 'x', type: 'y', createdAt: 'never', source: { workspaceId: 'other' } }],
  ['keys with stars, quotes and backslashes', { '*': 1, '"': 2, "'": 3, '\\': 4, $: 5 }],
  ['all scripts', { עברית: 'שלום', 中文: '你好', emoji: '👩‍👩‍👧‍👦', zalgo: 'h̷e̸l̶l̴o̵' }],
  ['control characters', { text: 'a\u0001b\u001f\u007f\u2028\ufeffc' }],
  ['dates that are none', { date: '2026-13-45', later: '9999-99-99T99:99:99Z' }],
  ['nothing', {}],
]

describe('odd payloads', () => {
  test.for(shapes)(
    '%s: kept, listed, and found by other fields',
    async ([, shape], { service, workspaceId }) => {
      const payload = { mark: 'odd', ...shape }
      const ada = service.as({ userId: 'ada' })
      const params = { workspaceId }
      const { result } = await ada(emitEvents, {
        params,
        body: { events: [{ type: 'odd', payload }, { type: 'next' }] },
      })
      await vi.waitFor(async () => {
        const feed = await ada(listEvents, { params })
        expect(feed.result.events.map(({ id }) => id)).toEqual(result.map(({ id }) => id).reverse())
        expect(feed.result.events[1]?.payload).toEqual(JSON.parse(JSON.stringify(payload)))
      })
      const filtered = await ada(listEvents, { params, query: { 'payload.mark': 'odd' } as never })
      expect(filtered.result.events).toHaveLength(1)
      const found = await ada(searchEvents, { params, body: { query: { match: { text: 'odd mark' } } } })
      expect(found.documents.map(({ id }) => id)).toEqual([result[0]?.id])
    },
  )
})
