import { describe, expect, test } from 'vitest'
import { codingFor, EncodedBody } from './encoded-body.ts'

describe('the coding of an answer', () => {
  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['BR', 'br'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0.0', undefined],
    ['identity', undefined],
    ['', undefined],
    ['brr', undefined],
    [undefined, undefined],
  ])('for %s is %s', (header, coding) => {
    expect(codingFor(header)).toBe(coding)
  })

  test('is made once, however many ask at the same time', async () => {
    const body = new EncodedBody(Buffer.from('a'.repeat(10_000)))
    const [first, second] = await Promise.all([body.for('br'), body.for('br')])
    expect(first.bytes).toBe(second.bytes)
    expect(first.etag).toMatch(/-br"$/)
  })
})
