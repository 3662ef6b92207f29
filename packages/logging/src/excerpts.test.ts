import { describe, expect, test } from 'vitest'
import { excerptWithout, withoutSecretFields } from './excerpts.ts'

const EXCERPT = 2048

describe('what is kept of a call to the outside', () => {
  test('hides what is named like a secret, also where the endpoint echoes it in any form', () => {
    const secrets = new Set<string>()
    const sent = withoutSecretFields({ password: 'hunter"2', order: 42 }, secrets)
    expect(sent).toEqual({ password: 'REDACTED', order: 42 })
    expect(excerptWithout('got hunter"2, {"p":"hunter\\"2"}, p=hunter%222 of 42', secrets, EXCERPT)).toBe(
      'got REDACTED, {"p":"REDACTED"}, p=REDACTED of 42',
    )
  })

  test('is the beginning', () => {
    expect(excerptWithout('a'.repeat(10_000), new Set(['none of it']), EXCERPT)).toBe('a'.repeat(EXCERPT))
  })

  test('costs one look at the answer, however many secrets there are; of too many it shows nothing', () => {
    const many = new Set(Array.from({ length: 4000 }, (_, n) => `aaaaaaaa${n}`))
    const before = process.threadCpuUsage()
    expect(excerptWithout('a'.repeat(100_000), many, EXCERPT)).toBe('a'.repeat(EXCERPT))
    // One look after another took 4,000 times as long as this.
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2000)
    expect(excerptWithout('a', new Set(['b'.repeat(100_001)]), EXCERPT)).toBe('REDACTED')
  })
})
