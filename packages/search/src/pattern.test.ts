import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { patternOf } from './pattern.ts'

/** What a pattern means, written as a regular expression. */
const meaningOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  )

const timeOf = (work: () => unknown): number => {
  const begun = performance.now()
  work()
  return performance.now() - begun
}

describe('a pattern', () => {
  it('means what its regular expression means', () => {
    const letters = fc.constantFrom('a', 'a', 'a', 'b', '*')
    const pattern = fc.array(letters, { maxLength: 40 }).map((list) => list.join(''))
    const text = fc.array(fc.constantFrom('a', 'a', 'a', 'b'), { maxLength: 60 }).map((list) => list.join(''))
    fc.assert(
      fc.property(
        pattern,
        text,
        (wanted, given) => patternOf(wanted)(given) === meaningOf(wanted).test(given),
      ),
      { numRuns: 2000 },
    )
  })

  it('is found at its last possible place too', () => {
    const part = `${'a'.repeat(20)}b`
    expect(patternOf(`*${part}*`)(`${'a'.repeat(500)}b`)).toBe(true)
    expect(patternOf(`*${part}*${part}`)(`${'a'.repeat(500)}b`)).toBe(false)
  })

  // Each of these takes the engine's own search, or one that begins anew at each place, the product of both lengths.
  it.for([
    ['of one letter that ends otherwise', `*${'a'.repeat(20_000)}b*`],
    ['of one letter that begins otherwise', `*b${'a'.repeat(20_000)}*`],
    ['with the odd letter in its middle', `*${'a'.repeat(10_000)}b${'a'.repeat(10_000)}*`],
    ['of many parts', `*${`${'a'.repeat(2000)}*`.repeat(10)}b*`],
    ['of many short parts', `*${'aaaaaaa*'.repeat(20)}b`],
  ] as const)('%s takes a time that grows with the text, not with the product', ([, pattern]) => {
    const isLike = patternOf(pattern)
    const short = 'a'.repeat(100_000)
    const long = 'a'.repeat(400_000)
    // Once for the compiler.
    for (const text of [short, long]) expect(isLike(text)).toBe(false)
    expect(Math.min(...[0, 0, 0].map(() => timeOf(() => isLike(long))))).toBePrompt(100)
  })
})
