import { expect, it } from 'vitest'
import type { Filter } from '../filter.ts'
import { isRareWithIndex } from './index-use.ts'

const type: Filter = { path: 'type', in: ['a'] }
const value: Filter = { path: 'payload.id', in: ['5'] }
const pattern: Filter = { path: 'payload.id', like: '5*' }

it.each<readonly [string, Filter, boolean]>([
  ['one type keeps the order of its index', type, false],
  [
    'so does one type under conditions without an index',
    { all: [{ any: [type] }, { not: { path: 'type', like: 'b*' } }, pattern] },
    false,
  ],
  ['several types do not', { path: 'type', in: ['a', 'b'] }, true],
  ['a value of any field has an index', value, true],
  ['also under a type', { all: [type, value] }, true],
  ['also as the only one of any', { any: [value] }, true],
  ['any of values has one', { any: [value, type] }, true],
  ['any of a value and a pattern has none', { any: [value, pattern] }, false],
  ['a text has one', { text: 'ada' }, true],
  ['a text without words has none', { text: ' - ' }, false],
  ['a pattern has none', pattern, false],
  ['a negation has none', { not: value }, false],
  ['a negative number has one', { path: 'payload.balance', in: [-5] }, true],
  ['a time has none', { path: 'createdAt', in: ['2026'] }, false],
  ['no filter at all has none', { all: [] }, false],
])('%s', (_, filter, expected) => {
  expect(isRareWithIndex(filter)).toBe(expected)
})
