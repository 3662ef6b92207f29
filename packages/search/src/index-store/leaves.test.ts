import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matches } from '../compile-filter.ts'
import {
  leavesOf,
  orderedNumber,
  orderedText,
  termOfPresence,
  termsBegin,
  termsEnd,
  termsEqual,
} from './leaves.ts'

const number = fc.double({ noNaN: true, noDefaultInfinity: true })
const text = fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => !value.includes('\0'))
const scalar = fc.oneof(number, fc.integer(), text, fc.boolean(), fc.constant(null), number.map(String))

describe('numbers as texts', () => {
  test('the order of the texts is the order of the numbers', () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const first = orderedText(a)
        const second = orderedText(b)
        expect(Math.sign(a - b) || 0).toBe(first < second ? -1 : first > second ? 1 : 0)
      }),
      { numRuns: 20_000 },
    )
  })

  test('a number is read back from its text, minus zero as zero', () => {
    fc.assert(
      fc.property(number, (value) => {
        expect(orderedNumber(orderedText(value))).toBe(value + 0)
      }),
    )
    expect(orderedNumber(orderedText(-0))).toBe(0)
    expect(orderedText(0)).toHaveLength(16)
  })
})

describe('leaves', () => {
  test('a value is equal to a text exactly when they share a term', () => {
    fc.assert(
      fc.property(scalar, scalar, fc.boolean(), (value, wanted, same) => {
        const asked = same ? value : wanted
        const document = { payload: { field: [value, 'other'] } }
        const expected = matches({ path: 'payload.field', in: [asked] }, document)
        const terms = termsEqual('payload.field', asked === null ? 'null' : textForm(asked))
        expect(leavesOf(document).some((leaf) => terms.includes(leaf))).toBe(expected)
      }),
      { numRuns: 5000 },
    )
  })

  test('no term of a path is one of another path, for any keys', () => {
    const key = fc.string({
      unit: fc.constantFrom('a', '.', '$', '=', '\\', '#', '?', '!', '~', '"'),
      maxLength: 4,
    })
    fc.assert(
      fc.property(key, key, text, text, (first, second, one, other) => {
        fc.pre(first !== second)
        const a = leavesOf({ [first]: one })
        const b = leavesOf({ [second]: other })
        expect(a.filter((leaf) => b.includes(leaf))).toEqual([])
      }),
      { numRuns: 5000 },
    )
  })

  test('an object and an empty text are there, null and an empty list are not', () => {
    const leaves = leavesOf({ object: { a: 1 }, text: '', none: null, list: [] })
    expect(
      ['object', 'text', 'none', 'list'].filter((path) => leaves.includes(termOfPresence(path))),
    ).toEqual(['object', 'text'])
  })

  test('all terms of a kind lie between their beginning and their end', () => {
    fc.assert(
      fc.property(text, (value) => {
        const begin = termsBegin('a.b', '$')
        expect(begin + value >= begin && begin + value < termsEnd(begin)).toBe(true)
      }),
    )
  })

  test('a text too long for a term is cut, and found by the whole of it only', () => {
    const long = '€'.repeat(50_000)
    const leaves = leavesOf({ long })
    expect(Math.max(...leaves.map((leaf) => Buffer.byteLength(leaf)))).toBeLessThan(32_766)
    expect(leaves).toEqual(expect.arrayContaining(termsEqual('long', long)))
    expect(leaves).not.toEqual(expect.arrayContaining(termsEqual('long', long.slice(0, 8000))))
    expect(leaves).not.toEqual(expect.arrayContaining(termsEqual('long', long.slice(0, 8001))))
  })

  test('at most 10,000 are kept', () => {
    expect(leavesOf({ list: Array.from({ length: 20_000 }, (_, index) => index) })).toHaveLength(10_000)
  })

  test('a payload of more than fit takes no room from what decides who may see the event', () => {
    const heavy = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]))
    const leaves = leavesOf({ payload: heavy, target: { userId: 'ada' } })
    expect(leaves).toHaveLength(10_000)
    expect(leaves).toEqual(
      expect.arrayContaining([termOfPresence('target.userId'), ...termsEqual('target.userId', 'ada')]),
    )
  })
})

const textForm = (value: string | number | boolean): string =>
  typeof value === 'number' ? numberText(value) : String(value)
const numberText = (value: number): string =>
  leavesOf({ x: value })
    .find((leaf) => leaf.startsWith('x='))
    ?.slice(2) ?? ''
