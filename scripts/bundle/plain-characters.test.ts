import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { escaped } from './plain-characters.ts'

describe('plain characters', () => {
  test.each([
    ["'déjà vu — 😀'", 'déjà vu — 😀'],
    ['`à $'.concat('{1}’s`'), 'à 1’s'],
    [String.raw`'\é'`, 'é'],
    [String.raw`'\\é'`, '\\é'],
    [String.raw`'ü'.replace(/[\ü]/, 'u')`, 'u'],
    ["'😀'.replace(/😀/u, 'ok')", 'ok'],
    ['({ été: 1 }).été', 1],
  ])('%s means what it meant', (code, value) => {
    const plain = escaped(code)
    expect(plain).toMatch(/^[\0-\x7f]*$/)
    expect(runInNewContext(plain)).toBe(value)
  })
})
