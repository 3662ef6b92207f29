import { posix } from 'node:path'

/** A file of the tree. */
export interface Source {
  file: string
  text: string
}

const MAX_COLUMNS = 120
const SMALL_LINES = 20

const isTest = (file: string) => file.endsWith('.test.ts')
const isTypeScript = (file: string) => file.endsWith('.ts')
/** What ships: TypeScript in `src` of an app or a package. */
const ships = ({ file }: Source) =>
  /^(apps|packages)\/[^/]+\/src\//.test(file) && isTypeScript(file) && !isTest(file)
const linesOf = ({ text }: Source) => text.trimEnd().split('\n').length

/**
 * Files that ship with 20 lines or less: each is one more that a reader opens. Where a process begins is no such file.
 */
export const smallFiles = (sources: readonly Source[]): string[] =>
  sources
    .filter((source) => ships(source) && !source.file.endsWith('/main.ts') && linesOf(source) <= SMALL_LINES)
    .map(({ file }) => file)

/** Lines wider than 120 columns, code, comments and texts alike, as `file:line`. */
export const wideLines = (sources: readonly Source[]): string[] =>
  sources
    .filter(({ file }) => /\.(ts|mjs)$/.test(file))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, at) => ([...line].length > MAX_COLUMNS ? [`${file}:${at + 1}`] : [])),
    )

const citationPatterns = [
  /\bdecisions? [A-Z]\d/,
  /\breliability ([A-Z]?\d|§)/,
  /\bT-[A-Z]+-\d/,
  /\bspecification ("|“|§|\d)|\(specification\b/,
  /\breference( [a-z]+)? \d+\.\d/,
  // Not a call in code: a bracket behind a space, as a sentence has it.
  /(^|[\s.,])\([A-J]\d{1,2}(, [A-J]\d{1,2})*\)/,
]

/** Citations of texts that are not in the repository, as `file:line`. */
export const citations = (sources: readonly Source[]): string[] =>
  sources
    .filter(
      ({ file }) =>
        !/^CHANGELOG\.md$|^docs\/openapi\.json$|check-architecture\/house(\.test)?\.ts$|docs\/adr\/0051/.test(
          file,
        ),
    )
    .flatMap(({ file, text }) =>
      text
        .split('\n')
        .flatMap((line, at) =>
          citationPatterns.some((pattern) => pattern.test(line)) ? [`${file}:${at + 1}`] : [],
        ),
    )

/** Support of tests that lies among what ships: it belongs into `test` beside `src`. */
export const testSupportInSource = (sources: readonly Source[]): string[] =>
  sources
    .map(({ file }) => file)
    .filter(
      (file) =>
        /\/src\/(.*\/)?(testing|conformance)(\/|\.ts$)/.test(file) &&
        !isTest(file) &&
        !file.startsWith('packages/testing/'),
    )

const CHANCE = /\bMath\.random\b|\bDate\.now\(|\bnew Date\(\)|\brandom(UUID|Bytes|Int)\b.*'node:crypto'/
/** What an answer from outside came at is part of the answer. */
const READS_AN_ANSWER = 'apps/runtime/src/instructions/streamed-events.ts'

/** Instructions that look at the time or toss a coin past their run, which is executed again over its journal. */
export const ownChance = (sources: readonly Source[]): string[] =>
  sources
    .filter((source) => ships(source) && source.file.startsWith('apps/runtime/src/instructions/'))
    .filter(({ file, text }) => file !== READS_AN_ANSWER && CHANCE.test(text))
    .map(({ file }) => file)

/** Files that ship and join a signal with a timeout by `any`, which leaks: `Deadline` of packages/kernel does not. */
export const leakingDeadlines = (sources: readonly Source[]): string[] =>
  sources
    .filter(
      (source) =>
        ships(source) &&
        /\bAbortSignal\.any\(/.test(source.text) &&
        /\bAbortSignal\.timeout\(/.test(source.text),
    )
    .map(({ file }) => file)

/**
 * Lines of what ships that set a function as a property: V8 makes it in old memory, where it keeps all that it refers
 * to until the next full collection (docs/adr/0084). One that has a name before, or is a field of a class, is young.
 */
export const oldFunctions = (sources: readonly Source[]): string[] =>
  sources
    .filter((source) => ships(source) && !source.file.startsWith('packages/testing/'))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, at) => (SETS_A_FUNCTION.test(line) ? [`${file}:${at + 1}`] : [])),
    )

const SETS_A_FUNCTION = /[\w)\]]\.#?\w+ (?:\?\?|\|\|)?= (?:async )?(?:\(.*=>|\w+ =>|function\b)/

/** Composition files of the former kind. */
export const wireFiles = (sources: readonly Source[]): string[] =>
  sources.map(({ file }) => file).filter((file) => /\/wire-[^/]+\.ts$/.test(file) && !isTest(file))

/** Lines of what ships. */
export const shippedLines = (sources: readonly Source[]): number =>
  sources.filter(ships).reduce((sum, source) => sum + linesOf(source), 0)

/** Pairs of folders directly below a `src` that import each other, as `apps/events: live ↔ event-log`. */
export function twoWayFolders(sources: readonly Source[]): string[] {
  const imports = new Set<string>()
  for (const { file, text } of sources.filter(ships)) {
    const [root = '', folder] = folderOf(file)
    for (const [, target = ''] of text.matchAll(/\bfrom '(\.[^']+)'/g)) {
      const [otherRoot, other] = folderOf(posix.join(posix.dirname(file), target))
      if (folder !== undefined && other !== undefined && root === otherRoot && folder !== other)
        imports.add(`${root}: ${folder} ${other}`)
    }
  }
  return [...imports]
    .map((pair) => /^(.*): (.*) (.*)$/.exec(pair) ?? [])
    .filter(([, root, one = '', other = '']) => one < other && imports.has(`${root}: ${other} ${one}`))
    .map(([, root, one, other]) => `${root}: ${one} ↔ ${other}`)
}

function folderOf(file: string): [root: string | undefined, folder: string | undefined] {
  const [, root, rest = ''] = /^((?:apps|packages)\/[^/]+)\/src\/(.*)$/.exec(file) ?? []
  return [root, rest.includes('/') ? rest.slice(0, rest.indexOf('/')) : undefined]
}
