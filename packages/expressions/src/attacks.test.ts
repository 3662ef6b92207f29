import { describe, expect, it } from 'vitest'
import { ExpressionError, evaluate, interpolate, matchesFilter } from './index.ts'

/** What one evaluation may hold up, with room for a busy machine; what grows with a square takes far longer. */
const longestMs = 400
const tries = 3

/** Milliseconds this thread has computed: what else the machine does meanwhile does not count. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function expectQuick(act: () => unknown): void {
  for (let attempt = 1; ; attempt += 1) {
    const start = computedMs()
    try {
      act()
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError)
    }
    const elapsed = computedMs() - start
    if (elapsed < longestMs) return
    if (attempt === tries) expect(elapsed).toBeLessThan(longestMs)
  }
}

const long = 'a'.repeat(200_000)
const periodic = `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`
const many = (expression: string, times = 800) => `[${Array(times).fill(expression).join(',')}]`
const distinct = (count: number) =>
  Array.from({ length: count }, (_, index) => `key-${index.toString(36)}`.padEnd(12, 'é'))

describe('texts', () => {
  it.each([
    ['is in another', '{{t}} matches {{w}}'],
    ['is replaced', 'replace({{t}}, {{w}}, "x")'],
    ['separates', 'split({{t}}, {{w}})'],
    ['is looked for again and again', many('{{t}} matches {{w}}', 400)],
    ['is listed', '{{w}} in {{t}}'],
  ])('take linear time where one %s', (_, expression) => {
    const start = computedMs()
    expectQuick(() => evaluate(expression, { t: long, w: periodic }))
    expectQuick(() => evaluate(expression, { t: `${long}${periodic}`, w: periodic }))
    expect(computedMs() - start).toBeLessThan(tries * longestMs * 2)
  })

  it.each([
    ['matches', '{{t}} matches {{w}}', true],
    ['splits', 'split({{t}}, {{w}})', ['xaabaabaa', 'y', '']],
    ['replaces', 'replace({{t}}, {{w}}, "-")', 'xaabaabaa-y-'],
  ])('are found as before: %s', (_, expression, expected) => {
    const w = 'aabaabaacaabaabaa'
    expect(evaluate(expression, { t: `xaabaabaa${w}y${w}`, w })).toEqual(expected)
  })

  it('are found where the engine finds them', () => {
    for (let seed = 1; seed < 400; seed += 1) {
      const t = Array.from({ length: 200 }, (_, i) => 'ab'[((i * i * seed) >> 3) & 1]).join('')
      const w = t.slice(seed % 180, (seed % 180) + 9 + (seed % 12)) + (seed % 3 === 0 ? 'b' : '')
      expect(evaluate('{{t}} matches {{w}}', { t, w })).toBe(t.includes(w))
      expect(evaluate('split({{t}}, {{w}})', { t, w })).toEqual(t.split(w))
    }
  })

  it.each([
    ['compared as numbers', many('{{t}} == 1')],
    ['compared in order', many('{{t}} < {{u}}')],
    ['compared for equality', many('{{t}} === {{u}}')],
    ['compared in lists', many('{{l}} == {{m}}')],
    ['turned into numbers', many('number({{t}})')],
    ['compared with dates', many('{{t}} < {{d}}')],
  ])('are charged where they are %s', (_, expression) => {
    const t = `${' '.repeat(5_000_000)}1`
    const d = new Date(0)
    const scope = { t, u: `${t.slice(0, -1)}2`, l: [t], m: [`${t.slice(0, -1)}2`], d }
    expectQuick(() => evaluate(expression, scope))
  })
})

describe('memory', () => {
  const keys = distinct(200_000)
  const record = Object.fromEntries(keys.map((key) => [key, 'é'.repeat(20)]))

  it.each([
    ['parameters of an object', 'URLSearchParams({{record}})', { record }],
    ['parameters of a list', 'URLSearchParams({{list}})', { list: Array(300_000).fill(['a', 'é']) }],
    ['parameters that are long', 'URLSearchParams({{record}})', { record: { a: 'é'.repeat(2_000_000) } }],
    ['parameters of a text', 'URLSearchParams({{t}})', { t: 'a&'.repeat(1_000_000) }],
    ['parameters of an address', 'URL({{t}})', { t: `http://a/?${'a&'.repeat(1_000_000)}` }],
    ['an address', 'URL({{t}})', { t: `http://a/${'é'.repeat(1_000_000)}` }],
    [
      'replacements of everything by itself',
      'replace({{t}}, regex([\\s\\S]*), {{by}})',
      {
        t: 'x'.repeat(20_000),
        by: '$&'.repeat(50_000),
      },
    ],
    ['characters that are escaped', 'json({{t}})', { t: { a: '\u0001'.repeat(2_500_000) } }],
    ['words of a list', '"x" in {{t}}', { t: ','.repeat(9_000_000) }],
    ['characters', 'split({{t}}, "")', { t: 'x'.repeat(2_000_000) }],
    ['values of a text', 'json({{t}})', { t: `[${'{},'.repeat(1_000_000)}1]` }],
    ['base64', many('base64({{t}})'), { t: 'é'.repeat(1_000_000) }],
    ['capitals', many('upper({{t}})'), { t: 'ß'.repeat(1_000_000) }],
  ])('is paid for before it is taken: %s', (_, expression, scope) => {
    const before = process.memoryUsage().rss
    expectQuick(() => {
      expect(() => evaluate(expression, scope)).toThrow(/too much|too long/)
    })
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000)
  })
})

describe('time', () => {
  it.each([
    [
      'hosts of other alphabets',
      many('URL({{t}})', 100),
      {
        t: `http://${Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(0x4e00 + i)).join('')}`,
      },
    ],
    ['names of zones', many('date(0, {{f}})'), { f: 'z '.repeat(100) }],
    ['dates in a zone', many('date(0, "LT", "en", "Asia/Tokyo").hour'), {}],
    ['JSON that is none', 'unsafejson({{t}})', { t: '{x}'.repeat(500_000) }],
    ['JSON with odd keys', 'json({{t}})', { t: `["__proto__"${',{}'.repeat(300_000)}]` }],
    [
      'sizes of objects',
      many('length({{o}})'),
      {
        o: Object.fromEntries(distinct(100_000).map((key) => [key, 1])),
      },
    ],
    ['sums of lists', many('max({{l}})'), { l: Array(200_000).fill('1') }],
    ['long keys', many('{{o[{{t}}]}}'), { o: {}, t: long }],
    ['captures', 'replace({{t}}, regex((.*a){25}b), "")', { t: 'ab'.repeat(100_000) }],
    [
      'merged objects',
      many('deepmerge({{o}}, {{o}})'),
      {
        o: Object.fromEntries(distinct(50_000).map((key) => [key, 1])),
      },
    ],
  ])('is bounded for %s', (_, expression, scope) => {
    expectQuick(() => evaluate(expression, scope))
  })

  it.each([
    ['patterns', { $or: Array.from({ length: 5_000 }, (_, i) => ({ a: { $regex: `\\pL{900}${i}` } })) }],
    ['options', { a: { $in: Array(500_000).fill('x') } }],
    ['types', { a: { $type: Array(2_000_000).fill('x') } }],
    ['paths', { ['a.'.repeat(500_000)]: 1 }],
  ])('is bounded for filters with many %s', (_, filter) => {
    expectQuick(() => matchesFilter({ a: Array(2_000).fill('y') }, filter))
  })

  it('is what others do with the same text', () => {
    expect(interpolate('{{t}} {{t}}', { t: 'ß'.repeat(1_000) })).toHaveLength(2_001)
    expect(evaluate('URLSearchParams({{p}}).asString', { p: { a: 'é ü', b: 1 } })).toBe('a=%C3%A9+%C3%BC&b=1')
    expect(evaluate('upper({{t}})', { t: 'straße' })).toBe('STRASSE')
  })
})
