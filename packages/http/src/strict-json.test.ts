import { Failure } from '@platform/kernel'
import fc from 'fast-check'
import { visit } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { parseStrictJson } from './index.ts'

const problemOf = (text: string | Uint8Array): string | undefined => {
  try {
    parseStrictJson(typeof text === 'string' ? Buffer.from(text) : text)
    return undefined
  } catch (error) {
    if (error instanceof Failure && error.status === 400) return error.message
    throw error
  }
}

describe('strict JSON', () => {
  test.each([
    '{}',
    '[]',
    '1',
    '"text"',
    'null',
    '{"a":{"a":[{"a":1},{"a":2}]}}',
    ' \r\n\t{ "a" : "b" , "c" : [ 1 , "d" ] } ',
    '{"a:b":"{\\"c\\":1}","\\\\":1,"\\\\\\"":2}',
    '{"prototype":1,"__proto":2,"toString":3}',
    '{"emoji":"😀","escaped":"\\ud83d\\ude00"}',
    '["__proto__","constructor"]',
    '\ufeff{"a":1}',
  ])('takes %s as JSON.parse does', (text) => {
    expect(parseStrictJson(Buffer.from(text))).toEqual(JSON.parse(text.replace(/^\ufeff/, '')))
  })

  test.each([
    ['{"a":1,"a":2}', 'The body has the key "a" twice in one object.'],
    ['[[{"b":{"a":1,"\\u0061":2}}]]', 'The body has the key "a" twice in one object.'],
    ['{"a":{"x":1},"b":[],"a":{}}', 'The body has the key "a" twice in one object.'],
    ['{"":1,"":2}', 'The body has the key "" twice in one object.'],
    ['{"__proto__":1}', 'The body has a key "__proto__", which is not allowed.'],
    ['{"a":[{"\\u005f_proto__" :1}]}', 'The body has a key "__proto__", which is not allowed.'],
    ['{"constructor":{"prototype":{}}}', 'The body has a key "constructor", which is not allowed.'],
    ['1e309', 'A number of the body is larger than any number here may be.'],
    [`[-${'9'.repeat(309)}]`, 'A number of the body is larger than any number here may be.'],
    [`{"a":1${'0'.repeat(299)}e10}`, 'A number of the body is larger than any number here may be.'],
    [`[1${'0'.repeat(210)}.5E+99]`, 'A number of the body is larger than any number here may be.'],
    ['{"a":"\\u0000"}', 'A text of the body holds a NUL character, which no text here may have.'],
    ['{"\\u0000":1}', 'A text of the body holds a NUL character, which no text here may have.'],
    ['"\\ud83d"', 'A text of the body holds half of a surrogate pair.'],
    ['{"a":["\\ude00x"]}', 'A text of the body holds half of a surrogate pair.'],
    ['{"a":"\u0000"}', 'The body holds a NUL character, which no text here may have.'],
    [`${'['.repeat(65)}${']'.repeat(65)}`, 'The body is nested deeper than 64 levels.'],
    [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'The body is nested deeper than 64 levels.'],
    [`{${Array.from({ length: 10_001 }, (_, at) => `"k${at}":1`)}}`, 'The body has more than 10000 keys.'],
  ])('refuses %.60s', (text, message) => {
    expect(problemOf(text)).toBe(message)
  })

  test.each([
    '',
    '{',
    '{"a":1,}',
    "{'a':1}",
    '{"a":1}x',
    'NaN',
    '01',
    '"\t"',
    '{"a" 1}',
    '{"password":"hunter2"',
  ])('refuses %s as no JSON, without repeating it', (text) => {
    expect(problemOf(text)).toMatch(/^The body is not valid JSON: .+[^.]\.$/)
    expect(problemOf(text)).not.toContain('hunter2')
  })

  test('refuses bytes that are no UTF-8', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
    ])
      expect(problemOf(new Uint8Array(bytes))).toBe('The body is not valid UTF-8.')
  })

  test('takes 64 levels and 10,000 keys', () => {
    expect(problemOf(`${'['.repeat(64)}${']'.repeat(64)}`)).toBeUndefined()
    expect(problemOf(`{${Array.from({ length: 10_000 }, (_, at) => `"k${at}":1`)}}`)).toBeUndefined()
  })

  test('a megabyte of brackets, quotes or backslashes takes no time', () => {
    const hostile = [
      '['.repeat(1_000_000),
      `"${'\\"'.repeat(499_999)}"`,
      `{"${'\\\\'.repeat(499_990)}":1}`,
      `[${'"",'.repeat(333_000)}1]`,
    ]
    for (const text of hostile) {
      const before = process.threadCpuUsage()
      problemOf(text)
      // Quadratic work would take minutes.
      const { user, system } = process.threadCpuUsage(before)
      expect((user + system) / 1000).toBeLessThan(500)
    }
  })

  test('no parse leaves a trace on Object.prototype', () => {
    problemOf('{"__proto__":{"polluted":true}}')
    problemOf('{"constructor":{"prototype":{"polluted":true}}}')
    expect('polluted' in {}).toBe(false)
  })
})

/** The same question, asked with the parser of an editor. */
function isRefusedByVisitor(text: string): boolean {
  const open: Set<string>[] = []
  let refused = false
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty: (name) => {
      const siblings = open.at(-1)
      refused ||= siblings?.has(name) === true || name === '__proto__' || name === 'constructor'
      siblings?.add(name)
    },
  })
  return refused
}

describe('strict JSON and a second parser agree', () => {
  const key = fc.oneof(
    fc.constantFrom('a', 'b', '__proto__', 'constructor', '"', '\\', '\\\\"', ':', '{', '}]', 'é', '\n'),
    fc.string({ maxLength: 3 }),
  )
  const space = fc.constantFrom('', ' ', '\n', '\t \r')
  const quoted = fc
    .tuple(key, fc.boolean())
    .map(([text, isEscaped]) =>
      isEscaped
        ? `"${text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
        : JSON.stringify(text),
    )
  const { json } = fc.letrec<{ json: string; list: string; record: string; value: string }>((tie) => ({
    value: fc.oneof(quoted, fc.constantFrom('1', '-1.5e3', 'true', 'null')),
    list: fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    record: fc
      .array(fc.tuple(space, quoted, space, tie('json')), { maxLength: 5 })
      .map(
        (pairs) =>
          `{${pairs.map(([before, name, after, value]) => `${before}${name}${after}:${value}`).join(',')}}`,
      ),
    json: fc.oneof({ maxDepth: 4 }, tie('value'), tie('record'), tie('list')),
  }))

  test('on any nesting of any keys, however they are written', () => {
    let refusals = 0
    fc.assert(
      fc.property(json, (text) => {
        const expected = isRefusedByVisitor(text)
        if (expected) refusals += 1
        const problem = problemOf(text)
        const isKeyProblem = problem !== undefined && /key "/.test(problem)
        // NUL and lone surrogates are refused after the keys, so they never hide a key problem.
        return isKeyProblem === expected
      }),
      { numRuns: 5000 },
    )
    expect(refusals).toBeGreaterThan(200)
  })

  test('and what is taken is what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        if (problemOf(text) === undefined)
          expect(parseStrictJson(Buffer.from(text))).toEqual(JSON.parse(text))
      }),
    )
  })
})
