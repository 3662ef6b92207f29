import type { Failure } from '@platform/kernel'
import type { ProblemDetail } from '@platform/source-texts'
import { describe, expect, it } from 'vitest'
import { readDefinition } from './read-definition.ts'

const read = (text: string) => readDefinition({ text, mediaType: 'yaml' }, true).input

function problemsOf(text: string): ProblemDetail[] {
  try {
    read(text)
    return []
  } catch (error) {
    expect(error).toMatchObject({ name: 'InvalidAutomation' })
    return (error as Failure).details as ProblemDetail[]
  }
}

describe('a YAML text', () => {
  it.each([
    ['a tab for indentation', 'do:\n\t- a'],
    ['duplicate keys', 'do: []\nname: a\nname: b'],
    ['nested duplicate keys', 'do:\n- set: { name: a, name: b, value: 1 }'],
    ['an open quote', 'name: "a'],
    ['two documents', 'do: []\n---\ndo: []'],
    ['a tag of its own', 'do: []\nname: !custom a'],
    ['a JavaScript tag', 'do: []\noutput: !!js/function "function(){}"'],
    ['a binary tag', 'do: []\noutput: !!binary aGk='],
    ['a directive for YAML 1.1', '%YAML 1.1\n---\ndo: []'],
    ['a tag directive', '%TAG ! tag:example.com,2000:\n---\ndo: []'],
    ['an alias to nothing', 'do: []\noutput: *a'],
    ['an alias to itself', 'do: []\noutput: &a [*a]'],
    ['a key that is a map', 'do: []\noutput: { ? { a: 1 } : 2 }'],
    ['a prototype key', 'do: []\noutput: { __proto__: { a: 1 } }'],
    ['a NUL character', 'do: []\noutput: "\\0"'],
    ['half a surrogate pair', 'do: []\noutput: "\\uD800"'],
    ['an infinite number', 'do: []\noutput: .inf'],
    ['65 levels', `do: []\noutput: ${'['.repeat(64)}${']'.repeat(64)}`],
    ['a hundred thousand open brackets', '['.repeat(100_000)],
    ['more than 50 aliases of aliases', billionLaughs()],
  ])('must not have %s, told with a position and a sentence', (_, text) => {
    const before = process.threadCpuUsage()
    const [problem] = problemsOf(text)
    expect(problem).toMatchObject({ line: expect.any(Number), column: expect.any(Number) })
    expect(problem?.message).toMatch(/^[A-Za-z].+\.$/)
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(3000)
  })

  it.each<[string, string]>([
    ['keys', `output:\n${Array.from({ length: 80_000 }, (_, n) => ` a${n}: 1\n`).join('')}`],
    ['repeated keys', ' a: 1\n'.repeat(150_000)],
    ['list items', `output: [${'1,'.repeat(490_000)}]`],
    ['empty steps', `do:\n${'- {}\n'.repeat(190_000)}`],
    ['anchors and aliases', Array.from({ length: 30_000 }, (_, n) => `- &a${n} 1\n- *a${n}\n`).join('')],
    ['tags', `a: ${'! '.repeat(490_000)}`],
    ['directives', '%a\n'.repeat(300_000)],
    ['closing brackets', `a: ${'] '.repeat(300_000)}`],
    ['indentation', Array.from({ length: 1390 }, (_, n) => `${' '.repeat(n)}a:\n`).join('')],
    ['blank lines', ' \n'.repeat(490_000)],
    ['documents', '---\n'.repeat(240_000)],
  ])('refuses a megabyte of %s before it costs more than a moment', (_, text) => {
    const before = process.threadCpuUsage()
    expect(problemsOf(text)).not.toEqual([])
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1500)
  })

  it('is not blown up by aliases to large values', () => {
    const text = `do: []\noutput:\n- &a [${'1,'.repeat(9000)}]\n${'- *a\n'.repeat(49)}`
    expect(problemsOf(text)[0]?.message).toContain('aliases')
  })
})

function billionLaughs(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]']
  for (let n = 1; n < 9; n++)
    lines.push(
      `a${n}: &a${n} [${Array(9)
        .fill(`*a${n - 1}`)
        .join(', ')}]`,
    )
  return lines.join('\n')
}
