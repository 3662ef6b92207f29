import { expect, test } from 'vitest'
import { pathProblems } from './paths.ts'

const sources = [
  { file: 'apps/a/src/main.ts', text: "import { run } from '@platform/p'\nimport { b } from './b.ts'\n" },
  { file: 'apps/a/src/b.ts', text: "import {\n  type C,\n  c as d,\n} from './deep/c.ts'\n" },
  { file: 'apps/a/src/deep/c.ts', text: 'export const c = 1\nexport interface C {}\n' },
  { file: 'packages/p/src/index.ts', text: "export { run } from './run.ts'\nexport * from './other.ts'\n" },
  { file: 'packages/p/src/run.ts', text: 'export const run = 1\n' },
  { file: 'packages/p/src/other.ts', text: 'export const other = 1\n' },
  { file: 'apps/a/src/uses-other.ts', text: "import { other } from '@platform/p'\n" },
]
const entries = new Map([['@platform/p', 'packages/p/src/index.ts']])
const problems = (...items: string[]) =>
  pathProblems(
    `## Follow it\n\nSome words.\n\n${items.map((item, index) => `${index + 1}. ${item}`).join('\n')}\n`,
    sources,
    entries,
  )

test.each([
  [
    'one imports the next',
    ['`apps/a/src/main.ts` begins', '`apps/a/src/b.ts`: goes on', '`apps/a/src/deep/c.ts`'],
  ],
  ['one is imported by the next', ['`apps/a/src/deep/c.ts`', '`apps/a/src/b.ts`']],
  [
    'a name of a package leads to the file that declares it',
    ['`apps/a/src/main.ts`', '`packages/p/src/run.ts`'],
  ],
  ['or that all names are passed on of', ['`apps/a/src/uses-other.ts`', '`packages/p/src/other.ts`']],
])('a true list passes: %s', (_, items) => {
  expect(problems(...items)).toEqual([])
})

test.each([
  ['item 2: there is no file apps/a/src/gone.ts', ['`apps/a/src/main.ts`', '`apps/a/src/gone.ts`']],
  [
    'item 2: apps/a/src/deep/c.ts neither',
    ['`apps/a/src/main.ts`', '`apps/a/src/deep/c.ts`', '`apps/a/src/b.ts`'],
  ],
  ['packages/p/src/other.ts neither', ['`apps/a/src/main.ts`', '`packages/p/src/other.ts`']],
  ['item 2: begin it with a file', ['`apps/a/src/main.ts`', 'then `apps/a/src/b.ts`']],
  ['No list of files was found', ['first', 'second']],
])('%s', (sentence, items) => {
  expect(problems(...items).join()).toContain(sentence)
})

test('each list is read, under its heading', () => {
  const page = [
    '## Follow one\n\n1. `apps/a/src/main.ts`\n2. `apps/a/src/b.ts`\n   more of it',
    '## How to\n\n1. `apps/a/src/<name>.ts`',
    '## Follow two\n\n1. `apps/a/src/x.ts`\n',
  ].join('\n\n')
  expect(pathProblems(page, sources, entries)).toEqual([
    '"Follow two" in docs/architecture.md, item 1: there is no file apps/a/src/x.ts.',
  ])
})
