import { describe, expect, test } from 'vitest'
import { measure, requireSize } from './value-size.ts'

const doubled = (times: number, start: unknown = [1]): unknown => {
  let value = start
  for (let round = 0; round < times; round += 1) value = [value, value]
  return value
}

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = [value]
  return value
}

describe('the size of a value', () => {
  test.each([
    ['a text', 'abc'],
    ['numbers', [0, 9, 10, -1, 1.5, 1e21, Number.NaN]],
    ['words', [true, false, null, undefined]],
    ['an object', { a: 1, b: { c: 'x', left: undefined }, d: {} }],
    ['nothing inside', [[], {}]],
    ['a large list', Array.from({ length: 1000 }, (_, index) => ({ index, text: 'some text' }))],
    ['the same value twice', doubled(10, { a: 'x' })],
  ])('is the length of its JSON: %s', (_, value) => {
    const expected = { characters: JSON.stringify(value).length, excess: undefined }
    expect(measure(value, 1_000_000)).toEqual(expected)
    expect(measure([value, value], 1_000_000).characters).toBe(2 * expected.characters + 3)
  })

  test('is known at once, however often a value is in it', () => {
    const before = process.threadCpuUsage()
    expect(measure(doubled(60), 10_000_000).excess).toBe('size')
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(100)
  })

  test('is not counted below the levels a value may have', () => {
    expect(measure(nested(100), 1000).excess).toBeUndefined()
    expect(measure(nested(101), 1000).excess).toBe('depth')
    expect(measure(nested(1_000_000), 1000).excess).toBe('depth')
  })

  test('counts the levels of what was measured before', () => {
    const large = [Array.from({ length: 100 }, () => 1), nested(98)]
    expect(measure(large, 1000).excess).toBeUndefined()
    expect(measure([large], 1000).excess).toBeUndefined()
    expect(measure([[large]], 1000).excess).toBe('depth')
  })

  test('that is too much is refused by name', () => {
    expect(() => requireSize('x'.repeat(9), 10, () => 'It')).toThrow(/^It has more than 10 characters/)
    expect(() => requireSize('x'.repeat(8), 10, () => 'It')).not.toThrow()
    expect(() => requireSize(nested(200), 1e6, () => 'It')).toThrow(/^It is nested deeper than 100 levels/)
  })
})
