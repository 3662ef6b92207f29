import { describe, expect, it } from 'vitest'
import attacks from '../vectors/attacks.json' with { type: 'json' }
import {
  checkExpression,
  checkTemplate,
  compilePath,
  compileTemplate,
  countUnclosed,
  ExpressionError,
  evaluate,
  interpolate,
  listFunctionCalls,
  listTemplateTokens,
  matchesFilter,
} from './index.ts'

/** Milliseconds this thread has computed: what else the machine does meanwhile does not count. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Runs an attack and holds it to a time nobody notices. */
function expectQuick(act: () => unknown, milliseconds = 1_000): void {
  const start = computedMs()
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(ExpressionError)
  }
  expect(computedMs() - start).toBeLessThan(milliseconds)
}

describe('bombs', () => {
  const evil = `${'a'.repeat(50_000)}!`

  it.each([
    '(a+)+$',
    '(a|aa)+$',
    '(a|a?)+$',
    '([a-zA-Z]+)*$',
    '(.*a){25}b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '[ab]*a[ab]{400}c[xy]',
  ])('matches %s in linear time', (pattern) => {
    expectQuick(() => evaluate('{{t}} matches regex({{p}})', { t: evil, p: pattern }), 500)
    expectQuick(() => evaluate('replace({{t}}, regex({{p}}), "")', { t: evil, p: pattern }))
    expectQuick(() => evaluate('split({{t}}, regex({{p}}))', { t: evil, p: pattern }))
    expectQuick(() => matchesFilter({ t: evil }, { t: { $regex: pattern } }), 500)
  })

  it('bounds patterns whose matches each look at all the rest', () => {
    const t = Array.from({ length: 20_000 }, (_, i) => 'ab'[(i * i) % 3 === 0 ? 0 : 1]).join('')
    expectQuick(() => evaluate('replace({{t}}, regex(x*[ab]*a[ab]{100}c|a), "")', { t }))
  })

  it.each([
    'a{1000}{1000}',
    `${'('.repeat(3_000)}a${')'.repeat(3_000)}`,
    '(\\pL{100}){100}',
    'x'.repeat(100_000),
  ])('refuses the oversized pattern %#', (pattern) => {
    expect(() => evaluate('"a" matches regex({{p}})', { p: pattern })).toThrow(ExpressionError)
  })

  it.each([
    ['text that doubles', () => interpolate('{{t}}'.repeat(2_000), { t: 'x'.repeat(100_000) })],
    ['replacements', () => evaluate('replace({{t}}, "x", {{t}})', { t: 'x'.repeat(100_000) })],
    [
      'joined text',
      () => evaluate('join({{l}}, {{t}})', { l: Array(10_000).fill('x'), t: 'x'.repeat(10_000) }),
    ],
    ['sums of text', () => evaluate(Array(1_000).fill('{{t}}').join('+'), { t: 'x'.repeat(100_000) })],
    ['pieces', () => evaluate('split({{t}}, "")', { t: 'x'.repeat(9_000_000) })],
    ['shared references', () => evaluate('json({{x}})', { x: doubled(40) })],
    ['shared references as text', () => interpolate('a {{x}}', { x: doubled(40) })],
    ['shared references compared', () => evaluate('{{x}} == {{y}}', { x: doubled(40), y: doubled(40) })],
    ['circles', () => interpolate('a {{x}}', { x: circle() })],
    ['circles compared', () => evaluate('{{x}} == {{y}}', { x: circle(), y: circle() })],
    ['circles merged', () => evaluate('deepmerge({{x}}, {{y}})', { x: circle(), y: circle() })],
    ['circles as templates', () => compileTemplate(circle())],
    ['depth as templates', () => compileTemplate(nested(100_000))],
    ['depth as filters', () => matchesFilter({}, nestedFilter(100_000))],
    ['broad membership', () => evaluate('{{x}} in {{l}}', { x: 'no', l: Array(2_000_000).fill('x') })],
    ['few steps', () => evaluate('1 + 1 + 1 + 1', {}, { limits: { steps: 2 } })],
    ['little text', () => evaluate('"aaa" + "bbb"', {}, { limits: { characters: 5 } })],
  ])('stops at a limit: %s', (_, act) => {
    const start = computedMs()
    expect(act).toThrow(ExpressionError)
    expect(computedMs() - start).toBeLessThan(1_000)
  })

  it.each(attacks.nesting)('reads 64 KB of %s without trouble', (piece) => {
    const source = piece.repeat(65_536 / piece.length)
    for (const text of [
      source,
      `${source}%}`,
      `${source}}}`,
      `{% ${source} %}`,
      `{{${source}}}`,
      `${source}1`,
    ]) {
      expectQuick(() => evaluate(text, {}), 500)
      expectQuick(() => interpolate(text, {}), 500)
      expectQuick(() => compilePath(text), 500)
      expectQuick(() => checkExpression(text), 500)
      expectQuick(() => checkTemplate(text), 500)
      expectQuick(() => [listTemplateTokens(text), countUnclosed(text), listFunctionCalls(text)], 500)
      expectQuick(() => evaluate('unsafejson({{text}})', { text }), 500)
      expectQuick(() => evaluate('date({{text}}).ts', { text }), 500)
    }
  })

  it('evaluates the tallest tree it accepts', () => {
    expect(evaluate(Array(1_900).fill('1').join('+'), {})).toBe(1_900)
    expect(evaluate(`${'('.repeat(90)}1${')'.repeat(90)}`, {})).toBe(1)
    expect(evaluate(`{{a${'.a'.repeat(1_900)}}}`, { a: 1 })).toBeUndefined()
  })
})

function doubled(times: number): unknown {
  let value: unknown = ['x']
  for (let i = 0; i < times; i += 1) value = [value, value]
  return value
}

function circle(): unknown {
  const value: Record<string, unknown> = { key: 'x' }
  value.self = value
  return value
}

function nested(depth: number): unknown {
  let value: unknown = '{{x}}'
  for (let i = 0; i < depth; i += 1) value = [value]
  return value
}

function nestedFilter(depth: number): unknown {
  let value: unknown = { a: 1 }
  for (let i = 0; i < depth; i += 1) value = { $or: [value] }
  return value
}
