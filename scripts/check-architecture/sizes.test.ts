import { expect, test } from 'vitest'
import { sizeProblems } from './sizes.ts'

const problems = (file: string, text = '') => sizeProblems([{ file, text }])

test.each([
  ['apps/events/src/utils/a.ts', '', 'the name answers no question'],
  ['packages/http/src/helpers.ts', '', 'the name answers no question'],
  ['a/long.ts', '\n'.repeat(400), 'has 401 lines'],
  ['a/b.ts', '// @ts-ignore', 'switches the type checker off'],
  ['a/b.ts', 'eval ("1")', 'makes code from text'],
  ['a/b.ts', 'globalThis.eval("1")', 'makes code from text'],
  ['a/b.ts', "new Function('1')", 'makes code from text'],
  ['a/b.ts', "set synchronous_commit = 'off'", 'gives up durability'],
  ['a/b.test.ts', "test.only('x')", 'only- or todo-test'],
])('%s with %j: %s', (file, text, sentence) => {
  expect(problems(file, text).join()).toContain(sentence)
})

test('honest files pass', () => {
  expect(problems('a/sharedness.ts', 'client.eval(script)\nretrieval(1)')).toEqual([])
  expect(problems('a/b.test.ts', `eval("1")${'\n'.repeat(500)}`)).toEqual([])
})
