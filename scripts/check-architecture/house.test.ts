import { describe, expect, test } from 'vitest'
import {
  citations,
  leakingDeadlines,
  oldFunctions,
  ownChance,
  shippedLines,
  smallFiles,
  testSupportInSource,
  twoWayFolders,
  wideLines,
  wireFiles,
} from './house.ts'
import { ratchetProblems } from './ratchets.ts'

const one = (file: string, text: string) => [{ file, text }]

test('a line wider than 120 columns is found in code, comments and texts, and nothing else is', () => {
  const text = `${'x'.repeat(120)}\n// ${'é'.repeat(117)}\n// ${'é'.repeat(118)}\n`
  expect(wideLines(one('a/b.ts', text))).toEqual(['a/b.ts:3'])
  expect(wideLines(one('a/b.mjs', text))).toEqual(['a/b.mjs:3'])
  expect(wideLines(one('a/b.md', text))).toEqual([])
})

describe('a citation of what is not in the repository', () => {
  test.each([
    '/** The environment (decisions I1, I2). */',
    '// as decision C3 wants it',
    '/** reliability 3.2, in short. */',
    '// kept for a client (reliability §0)',
    "test('T-RDY-3: leaves nothing')",
    '/** The rows (specification "Readiness"). */',
    '// (specification: 40 GB)',
    '/** `fetch` (reference automations 2.4). */',
    '// Deletes it (A7).',
    '// Both of them (A7, C12)',
  ])('is found: %s', (line) => {
    expect(citations(one('a/b.ts', line))).toEqual(['a/b.ts:1'])
  })

  test.each([
    'The specification is packages/contracts.',
    'RFC 6749 section 4.1 (PKCE)',
    'await call(B2)',
    'docs/adr/0030 says why (ADR 0030).',
    'UTF-8, T-shirts and a decision',
  ])('is not: %s', (line) => {
    expect(citations(one('a/b.ts', line))).toEqual([])
  })
})

test('small files, test support and former composition files are those of src', () => {
  const sources = [
    'apps/a/src/b.ts',
    'apps/a/src/b.test.ts',
    'apps/a/src/wire-b.ts',
    'apps/a/src/c/testing.ts',
  ]
    .concat(['apps/a/test/testing.ts', 'packages/p/src/conformance/suite.ts'])
    .map((file) => ({ file, text: 'export {}\n'.repeat(20) }))
  const long = { file: 'apps/a/src/long.ts', text: 'export {}\n'.repeat(21) }
  expect(smallFiles([...sources, long])).not.toContain('apps/a/src/long.ts')
  expect(smallFiles(sources)).toContain('apps/a/src/b.ts')
  expect(smallFiles(sources)).not.toContain('apps/a/src/b.test.ts')
  expect(testSupportInSource(sources)).toEqual([
    'apps/a/src/c/testing.ts',
    'packages/p/src/conformance/suite.ts',
  ])
  expect(wireFiles(sources)).toEqual(['apps/a/src/wire-b.ts'])
  expect(shippedLines([long])).toBe(21)
})

test('two folders that import each other are a pair, whatever imports one way is none', () => {
  const sources = [
    { file: 'apps/a/src/x/one.ts', text: "import { two } from '../y/two.ts'" },
    { file: 'apps/a/src/y/two.ts', text: "export { one } from '../x/one.ts'\nimport { z } from '../z/z.ts'" },
    { file: 'apps/a/src/z/z.ts', text: "import { own } from './own.ts'" },
  ]
  expect(twoWayFolders(sources)).toEqual(['apps/a: x ↔ y'])
})

test('a ratchet allows what there is, and names what is new', () => {
  const found = (sources: readonly { file: string }[]) => sources.map(({ file }) => file)
  const limits = [{ what: 'things', most: 1, find: found }]
  expect(ratchetProblems(one('a', ''), limits)).toEqual([])
  expect(ratchetProblems([...one('a', ''), ...one('b', '')], limits)).toEqual([
    '2 things, 1 are allowed: a, b.',
  ])
})

test('an instruction that looks at the time or tosses a coin past its run is found', () => {
  const found = (text: string, file = 'apps/runtime/src/instructions/shuffle.ts') =>
    ownChance(one(file, text))
  expect(found('const at = Math.random()')).toEqual(['apps/runtime/src/instructions/shuffle.ts'])
  expect(found('const at = Date.now()')).toHaveLength(1)
  expect(found('const at = new Date()')).toHaveLength(1)
  expect(found("import { randomUUID } from 'node:crypto'")).toHaveLength(1)
  expect(found('const at = new Date(run.readClock())')).toEqual([])
  expect(found('Math.random()', 'apps/runtime/src/instructions/shuffle.test.ts')).toEqual([])
})

test('a file that joins a signal with a timeout is found, and one that does only one of the two is not', () => {
  const found = (text: string, file = 'packages/p/src/ask.ts') => leakingDeadlines(one(file, text))
  const joined = 'const late = AbortSignal.timeout(9)\nconst both = AbortSignal.any([given, late])'
  expect(found(joined)).toEqual(['packages/p/src/ask.ts'])
  expect(found(joined, 'packages/p/src/ask.test.ts')).toEqual([])
  expect(found('AbortSignal.timeout(9)')).toEqual([])
  expect(found('AbortSignal.any([one, other])')).toEqual([])
})

test('a function that is set as a property is found, and one that has a name or is a field is not', () => {
  const found = (line: string) => oldFunctions(one('packages/p/src/ask.ts', `\n  ${line}\n`)).length
  const set = [
    'query.done = () => 1',
    'this.#end ??= async (a: A) => b',
    'x[0].y = function () {',
    'if (a) b.c = d => e',
  ]
  expect(set.map(found)).toEqual([1, 1, 1, 1])
  const others = [
    'const done = () => 1',
    'readonly #end = () => 1',
    'query.done = done',
    'a.b = c.map((d) => d)',
    'a.b === (() => 1)',
  ]
  expect(others.map(found)).toEqual([0, 0, 0, 0, 0])
})
