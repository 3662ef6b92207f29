import { describe, expect, it } from 'vitest'
import { enrolmentUri, newSecret, readOneTimeCode, stepOf } from './one-time-code.ts'

/** RFC 6238 appendix B, SHA-1, the last six digits. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('a one-time code', () => {
  it.each([
    [59, '287082'],
    [1111111109, '081804'],
    [1111111111, '050471'],
    [1234567890, '005924'],
    [2000000000, '279037'],
    [20000000000, '353130'],
  ])('is that of RFC 6238 at second %i', (seconds, code) => {
    expect(stepOf(code, SECRET, new Date(seconds * 1000))).toBe(Math.floor(seconds / 30))
  })

  it.each([-1, 0, 1])('counts %i steps away from now, and tells which it was', (away) => {
    expect(stepOf('287082', SECRET, new Date(59_000 - away * 30_000))).toBe(1)
  })

  it.each([-2, 2])('does not count %i steps away', (away) => {
    expect(stepOf('005924', SECRET, new Date((1234567890 + away * 30) * 1000))).toBeUndefined()
  })

  it.each([
    ['123456', '123456'],
    [' 123 456 ', '123456'],
    ['123-456', '123456'],
    ['12345', undefined],
    ['1234567', undefined],
    ['12345a', undefined],
    ['１２３４５６', undefined],
    ['', undefined],
  ])('is read from %j', (typed, code) => {
    expect(readOneTimeCode(typed)).toBe(code)
  })

  it('has 160 random bits behind it and a picture that names platform and person', () => {
    const secret = newSecret()
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(newSecret()).not.toBe(secret)
    const uri = enrolmentUri(secret, { issuer: 'Acme & Co', label: 'ada@example.com' })
    expect(uri).toMatch(/^otpauth:\/\/totp\/Acme%20%26%20Co:ada%40example.com\?/)
    expect(new URL(uri).searchParams.get('secret')).toBe(secret)
  })
})
