import { rounds } from '@platform/testing'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { newStream, placed, searchServer, type TestIndex, testIndex } from '../../test/index-store.ts'

const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { down: deep(levels - 1) })

/** What has made stores of this kind refuse events. */
const shapes: readonly (readonly [name: string, payload: unknown])[] = [
  ['a text of 40,000 bytes', { text: 'x'.repeat(40_000) }],
  ['a text of 99,000 characters of three bytes', { text: '€'.repeat(99_000) }],
  ['a text of exactly 32,766 bytes', { text: 'y'.repeat(32_766) }],
  ['64 levels', deep(64)],
  ['300 levels', deep(300)],
  ['64 lists in each other', Array.from({ length: 64 }).reduce<unknown>((inner) => ({ list: [inner] }), 1)],
  ['a key of 40,000 characters', { ['k'.repeat(40_000)]: 'value' }],
  ['an empty key', { '': 'value', within: { '': { '': 1 } } }],
  ['keys with dots', { 'a.b': 1, a: { b: 'text', c: { 'd.': 2, '.e': 3, '..': 4, '.': 5 } } }],
  ['null everywhere', { none: null, list: [null, [null]], object: { none: null } }],
  ['one path, several types', { value: [1, 'one', true, null, { value: 1 }, [2, [3]]] }],
  ['lists within lists', { matrix: [[1, 2], [[3]], []], empty: [] }],
  ['keys of the language', { __proto__x: 1, constructor: 2, toString: 3, hasOwnProperty: 4 }],
  ['a key that is a prototype', JSON.parse('{"__proto__":{"polluted":true},"x":{"__proto__":1}}')],
  ['control characters', { 'tab\tkey': 'a\u0001b', text: '\u0000', lines: 'a\r\n\u2028b' }],
  ['half of a surrogate pair', { text: '\ud83d', '\ude00': 'x' }],
  ['numbers at the edges', { big: 1.7976931348623157e308, tiny: 5e-324, zero: -0, int: 2 ** 53, long: 1e21 }],
  ['500 keys', Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, index]))],
  ['a list of 20,000 numbers', { list: Array.from({ length: 20_000 }, (_, index) => index) }],
  ['a text as payload', 'only a text'],
  ['a list as payload', [1, { a: 'b' }]],
  ['no payload', undefined],
  [
    'signs of queries and indexes',
    { '*': 'a*', x$: '$=#!?~"\\', '#': '(a|b)', _id: 'mine', '@timestamp': 'never' },
  ],
  ['names of fields', { sequence: 'text', leaves: [], words: {}, kept: { kept: 1 }, id: 5 }],
]

describe.skipIf(searchServer === undefined)('events of any shape', () => {
  const stream = newStream()
  let opened: TestIndex
  const documents = shapes.map(([, payload], index) => placed(stream, index + 1, payload))
  let rejected: unknown[]

  beforeAll(async () => {
    opened = await testIndex()
    rejected = await opened.index.add(documents)
    await opened.index.refresh(stream)
  })

  test('none is refused, none takes another with it', async () => {
    expect(rejected).toEqual([])
    expect(await opened.index.counts(undefined, 10)).toEqual([{ stream, documents: shapes.length }])
  })

  test.each(shapes.map(([name], index) => [name, index] as const))(
    '%s: found as it was',
    async (_, index) => {
      const { document, id } = documents[index] ?? { document: {}, id: '' }
      const filter = {
        all: [
          { path: 'id', in: [id] },
          { path: 'type', in: ['order.placed'] },
        ],
      }
      const [found] = await opened.index.find(stream, { sort: 'asc', limit: 2, filter })
      expect(found).toEqual(JSON.parse(JSON.stringify(document)))
    },
  )

  test('what is too long to be a term is found by the whole of it', async () => {
    const find = (text: string) =>
      opened.index.find(stream, { sort: 'asc', limit: 9, filter: { path: 'payload.text', in: [text] } })
    expect(await find('x'.repeat(40_000))).toHaveLength(1)
    expect(await find('x'.repeat(39_999))).toHaveLength(0)
    expect(await find('x'.repeat(8001))).toHaveLength(0)
  })

  test('64 levels down a value is found', async () => {
    const path = `payload.${'down.'.repeat(63)}down`
    const found = await opened.index.find(stream, { sort: 'asc', limit: 9, filter: { path, in: ['bottom'] } })
    expect(found).toHaveLength(1)
  })
})

describe.skipIf(searchServer === undefined)('fields', () => {
  test('thousands of events with 50 random keys each leave the mapping as it was', async () => {
    const { index, ask, prefix } = await testIndex()
    const stream = newStream()
    const fields = async () => {
      const { body } = await ask<Record<string, { mappings: object }>>('GET', `/${prefix}${stream}/_mapping`)
      return Object.values(body).map(({ mappings }) => JSON.stringify(mappings).length)
    }
    await index.add([placed(stream, 1, {})])
    const before = await fields()
    const batches = rounds(3, 10)
    for (let batch = 0; batch < batches; batch += 1) {
      const documents = Array.from({ length: 500 }, (_, number) =>
        placed(stream, 2 + batch * 500 + number, randomKeys()),
      )
      // A store that is too busy for its deadline is sent them again, as it always is.
      const rejected = await vi.waitFor(() => index.add(documents), { timeout: 120_000 })
      expect(rejected).toEqual([])
    }
    await index.refresh(stream)
    expect(await fields()).toEqual(before)
    expect(await index.counts(undefined, 10)).toEqual([{ stream, documents: 1 + 500 * batches }])
    await index.deleteStream(stream)
  }, 180_000)
})

const randomKeys = (): object =>
  Object.fromEntries(
    Array.from({ length: 50 }, () => [`key${Math.random().toString(36).slice(2)}`, Math.random()]),
  )
