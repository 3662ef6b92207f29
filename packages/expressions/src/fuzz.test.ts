import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  checkExpression,
  checkTemplate,
  compilePath,
  ExpressionError,
  evaluate,
  functionNames,
  interpolate,
  matchesFilter,
} from './index.ts'

const scope = {
  a: 1,
  b: 'text {{a}}',
  c: { d: [1, { e: null }], 'x y': 'z' },
  l: ['a', 2, null],
  t: '2024-01-01',
}

function onlyExpressionErrors(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
  }
}

const atom = fc.constantFrom(
  '1',
  '-2.5',
  '"a"',
  "'b,c'",
  'true',
  'null',
  'undefined',
  'word',
  '{{a}}',
  '{{b}}',
  '{{c.d[1].e}}',
  '{{c["x y"]}}',
  '{{l[{{a}}]}}',
  '{{t}}',
  '{{nope.x}}',
  '{% 1 %}',
)
const operator = fc.constantFrom(
  '+',
  '-',
  '*',
  '/',
  '%',
  '==',
  '=',
  '!=',
  '===',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  'and',
  '&&',
  'or',
  '||',
  'in',
  'not in',
  'matches',
  'not matches',
  'equals',
  'not equals',
)
const name = fc.constantFrom(...functionNames)

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    atom,
    fc.tuple(tie('expression'), operator, tie('expression')).map((parts) => parts.join(' ')),
    fc.tuple(fc.constantFrom('!', '-', '+', 'not '), tie('expression')).map((parts) => parts.join('')),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `${inner} exists`),
    fc.tuple(name, fc.array(tie('expression'), { maxLength: 4 })).map(([f, p]) => `${f}(${p.join(', ')})`),
    fc.array(tie('expression'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
    fc.tuple(fc.constantFrom('k', '"k k"', '{{t}}'), tie('expression')).map(([k, v]) => `{ ${k}: ${v} }`),
    fc
      .tuple(tie('expression'), fc.constantFrom('.length', '[0]', '["k"]', '.iso', '[{{a}}]'))
      .map((p) => `(${p[0]})${p[1]}`),
  ),
}))

const piece = fc.constantFrom(
  '{{',
  '}}',
  '{%',
  '%}',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '.',
  ',',
  ':',
  '?',
  '!',
  'not',
  'in',
  'a',
  '1',
  ' ',
  '\\',
  'regex(',
  'date(',
  '__proto__',
  'constructor',
  '🙂',
  '\n',
  '-',
  '=',
)
const noise = fc.oneof(
  fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary' }),
)
// FUZZ_RUNS=1000000 is the long run; without it a second per property has to do.
const runs = process.env.FUZZ_RUNS
const seed =
  runs === undefined ? { numRuns: 3_000, interruptAfterTimeLimit: 1_000 } : { numRuns: Number(runs) }

describe('fuzz', () => {
  it('accepts and evaluates every sentence of the grammar, or refuses it with its own error', () => {
    fc.assert(
      fc.property(expression, (source) => {
        onlyExpressionErrors(() => evaluate(source, scope))
        onlyExpressionErrors(() => interpolate(`<{% ${source} %}>`, scope))
      }),
      seed,
    )
  })

  it('lets no other error out of noise', () => {
    fc.assert(
      fc.property(noise, fc.jsonValue(), (text, value) => {
        onlyExpressionErrors(() => evaluate(text, { a: value }))
        onlyExpressionErrors(() => interpolate({ [text]: [text, value] }, { a: value }))
        onlyExpressionErrors(() => compilePath(text).resolve({ a: value }))
        onlyExpressionErrors(() => matchesFilter(value, { [text]: value }))
        checkTemplate(text)
        checkExpression(text)
      }),
      seed,
    )
  })

  it('agrees with the static check about what can be evaluated', () => {
    fc.assert(
      fc.property(noise, (text) => {
        const problems = checkTemplate(text)
        if (problems.some(({ type }) => type !== 'missingBrackets'))
          expect(() => interpolate(text, {})).toThrow(ExpressionError)
      }),
      seed,
    )
  })

  it('gives data back unchanged and leaves prototypes alone', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        fc.pre(!/__proto__|constructor/.test(JSON.stringify(value)))
        expect(interpolate('{{v}}', { v: value })).toBe(value)
        expect(interpolate('<{{t}}>', { t: text })).toBe(`<${text}>`)
        expect(evaluate('json(json({v: {{v}}}))', { v: value })).toEqual({
          v: JSON.parse(JSON.stringify(value)),
        })
        expect(Object.keys(Object.prototype)).toEqual([])
      }),
      seed,
    )
  })
})
