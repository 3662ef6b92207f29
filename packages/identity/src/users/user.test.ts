import { describe, expect, test } from 'vitest'
import { isEmail, isPlainAddress, normalizeEmail } from './user.ts'

describe('the address of an account', () => {
  test.each([
    ['  Ada@Example.COM ', 'ada@example.com'],
    ['ada@example。com', 'ada@example.com'],
    ['ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['admin@localhost', 'admin@localhost'],
    ['no address', 'no address'],
    ['ａｄａ＠example.com', 'ada@example.com'],
    ['ada@example.com.', 'ada@example.com'],
    ['ada@ｅｘａｍｐｌｅ．ＣＯＭ．', 'ada@example.com'],
    ['ﬁona@example.com', 'fiona@example.com'],
    ['\u212Aate@example.com', 'kate@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
  ])('%j is %j', (typed, kept) => {
    expect(normalizeEmail(typed)).toBe(kept)
    expect(normalizeEmail(kept)).toBe(kept)
  })

  test.each([
    ['ada@example.com', true],
    ["o'brien+list@example.com", true],
    ['ada@xn--bcher-kva.example', true],
    ['\u0430da@example.com', false], // a Cyrillic a
    ['ad\u03b1@example.com', false],
    ['jos\u00e9@example.com', false],
    ['a\u200bda@example.com', false],
  ])('%j can not be mistaken: %s', (email, isPlain) => {
    expect(isPlainAddress(email)).toBe(isPlain)
  })

  test.each(['', 'ada', '@example.com', 'ada@', 'a b@example.com'])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false)
  })
})
