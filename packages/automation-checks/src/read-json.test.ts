import type { Failure } from '@platform/kernel'
import type { ProblemDetail } from '@platform/source-texts'
import { describe, expect, it } from 'vitest'
import { readDefinition } from './read-definition.ts'

function problemsOf(text: string): ProblemDetail[] {
  try {
    readDefinition({ text, mediaType: 'json' }, true)
    return []
  } catch (error) {
    expect(error).toMatchObject({ name: 'InvalidAutomation' })
    return (error as Failure).details as ProblemDetail[]
  }
}

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const keys = (count: number) => `{\n${Array.from({ length: count }, (_, n) => `"k${n}": 1`).join(',\n')}\n}`

describe('a definition in JSON', () => {
  it.each([
    ['nothing', '', 1, 1, 'ends too early'],
    ['a value that is missing', '{\n  "do": }', 2, 9, 'a value is missing'],
    ['a comma that is missing', '{\n  "do": []\n  "output": 1 }', 3, 3, 'a comma is missing'],
    ['a comma too many', '{\n  "do": [1,] }', 2, 12, 'a value is missing'],
    ['a key without quotes', '{ do: [] }', 1, 3, 'not JSON'],
    ['a colon that is missing', '{ "do" [] }', 1, 8, 'a colon is missing'],
    ['a brace that is missing', '{ "do": []', 1, 11, 'a closing brace is missing'],
    ['a text that does not end', '{ "do": [],\n"output": "a\n}', 2, 11, 'never ends'],
    ['a comment', '{ // none\n"do": [] }', 1, 3, 'comments'],
    ['more after the end', '{ "do": [] } {}', 1, 14, 'after its end'],
    ['an escape there is not', '{ "do": [], "output": "\\x" }', 1, 23, 'escape'],
    ['a tab in a text', '{ "do": [], "output": "a\tb" }', 1, 23, 'control character'],
    [
      'a key that is there twice',
      '{ "do": [],\n"name": "a",\n"n\\u0061me": "b" }',
      3,
      1,
      '"name" is there twice',
    ],
    [
      'a nested key that is there twice',
      '{ "do": [{ "set": { "name": "a", "name": "b" } }] }',
      1,
      34,
      'twice',
    ],
  ])('must not have %s', (_, text, line, column, message) => {
    expect(problemsOf(text)).toMatchObject([
      { line, column, path: '', message: expect.stringContaining(message) },
    ])
    expect(problemsOf(text)[0]?.message).toMatch(/^The text .+\.$/)
  })

  it.each([
    ['the key __proto__', '{ "do": [],\n"output": { "__proto__": {} } }', 2, 13, 'output.__proto__'],
    ['the key constructor', '{ "do": [],\n"constructor": 1 }', 2, 1, 'constructor'],
    ['a NUL character', '{ "do": [],\n"output": "\\u0000" }', 2, 11, 'output'],
    ['half of a surrogate pair', '{ "do": [],\n"output": ["\\ud800"] }', 2, 12, 'output[0]'],
    ['a number without end', '{ "do": [],\n"output": 1e999 }', 2, 11, 'output'],
  ])('must not have %s', (_, text, line, column, path) => {
    expect(problemsOf(text)).toMatchObject([{ line, column, path }])
  })

  it('names every key that is there twice', () => {
    expect(problemsOf('{ "do": [], "do": [],\n"do": [] }')).toMatchObject([
      { line: 1, column: 13 },
      { line: 2, column: 1 },
    ])
  })

  it('has at most 64 levels', () => {
    expect(problemsOf(`{ "do": [],\n"output": ${nested(63)} }`)).toEqual([])
    expect(problemsOf(`{ "do": [],\n"output": ${nested(64)} }`)).toMatchObject([{ line: 2, column: 11 + 63 }])
  })

  it('has at most 10,000 keys', () => {
    expect(problemsOf(`{ "do": [], "output": ${keys(9998)} }`)).toEqual([])
    expect(problemsOf(`{ "do": [], "output": ${keys(9999)} }`)).toMatchObject([{ line: 10_000, column: 1 }])
  })

  it.each([
    ['brackets', '['.repeat(1_000_000)],
    ['keys', keys(60_000)],
    ['brackets that do not match', '[}'.repeat(500_000)],
    ['braces that do not match', '{"a":]'.repeat(160_000)],
    ['quotes', '"'.repeat(1_000_000)],
    ['equal keys', `{${'"a":1,'.repeat(9000)}"b":1}`],
    ['escapes', `"${'\\u0000'.repeat(160_000)}"`],
    ['slashes', '/'.repeat(1_000_000)],
  ])('refuses a megabyte of %s before it costs more than a moment', (_, text) => {
    const before = process.threadCpuUsage()
    expect(problemsOf(text)).not.toEqual([])
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1500)
  })
})
