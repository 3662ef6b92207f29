import { describe, expect, test } from 'vitest'
import { isEmail, normalizeEmail } from './user.ts'

describe('the address of an account', () => {
  test.each([
    ['  Ada@Example.COM ', 'ada@example.com'],
    ['ada@example。com', 'ada@example.com'],
    ['ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['admin@localhost', 'admin@localhost'],
    ['no address', 'no address'],
  ])('%j is %j', (typed, kept) => {
    expect(normalizeEmail(typed)).toBe(kept)
    expect(normalizeEmail(kept)).toBe(kept)
  })

  test.each(['', 'ada', '@example.com', 'ada@', 'a b@example.com'])('%j is none', (text) => {
    expect(isEmail(text)).toBe(false)
  })
})
