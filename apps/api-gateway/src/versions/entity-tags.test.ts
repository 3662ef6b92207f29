import { describe, expect, test } from 'vitest'
import { conditionOf, tagOf } from './versioned-call.ts'

describe('the tag of another representation', () => {
  test('is its own, strong or weak', () => {
    expect(tagOf('"abc"', 'v3')).toBe('"abc;v3"')
    expect(tagOf('W/"abc"', 'v3')).toBe('W/"abc;v3"')
    expect(tagOf('not a tag', 'v3')).toBe('not a tag')
  })

  test('comes back as the tag the handlers know', () => {
    expect(conditionOf('"abc;v3"', 'v3')).toBe('"abc"')
    expect(conditionOf('W/"a;v3", "b;v3"', 'v3')).toBe('W/"a", "b"')
    expect(conditionOf('*', 'v3')).toBe('*')
  })

  test('means nothing in a representation it does not belong to', () => {
    expect(conditionOf('"abc", "abc;v1"', 'v3')).toBe('"abc;other", "abc;v1;other"')
    expect(conditionOf('"abc;v3"', '2024-12-31')).toBe('"abc;v3;other"')
  })

  test('may be a long list without taking long', () => {
    const list = Array.from({ length: 2000 }, (_, index) => `"${index}`).join(',')
    const before = process.threadCpuUsage()
    conditionOf(list, 'v3')
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(100)
  })
})
