import { describe, expect, test } from 'vitest'
import { EXCERPT_LENGTH, requestExcerpt, responseExcerpt } from './send-webhook.ts'

describe('what is kept of a webhook', () => {
  test('hides what is named like a secret, also where the endpoint echoes it in any form', () => {
    const secrets = new Set<string>()
    const sent = requestExcerpt(JSON.stringify({ password: 'hunter"2', order: 42 }), secrets)
    expect(sent).toBe('{"password":"REDACTED","order":42}')
    expect(responseExcerpt('got hunter"2, {"p":"hunter\\"2"}, p=hunter%222 of 42', secrets)).toBe(
      'got REDACTED, {"p":"REDACTED"}, p=REDACTED of 42',
    )
  })

  test('is the beginning', () => {
    expect(responseExcerpt('a'.repeat(10_000), new Set(['none of it']))).toBe('a'.repeat(EXCERPT_LENGTH))
  })

  test('costs one look at the answer, however many secrets there are; of too many it shows nothing', () => {
    const many = new Set(Array.from({ length: 4000 }, (_, n) => `aaaaaaaa${n}`))
    const startedAt = performance.now()
    expect(responseExcerpt('a'.repeat(100_000), many)).toBe('a'.repeat(EXCERPT_LENGTH))
    // One look after another took 4,000 times as long as this.
    expect(performance.now() - startedAt).toBeLessThan(2000)
    expect(responseExcerpt('a', new Set(['b'.repeat(100_001)]))).toBe('REDACTED')
  })
})
