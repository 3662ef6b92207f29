import { writeFileSync } from 'node:fs'
import type { AutomationCoverage, TestResult } from '@platform/contracts'
import { counted, OpsProblem, type Paint, paintOf, plain, type Terminal, table } from '../terminal.ts'
import { differenceLines } from './difference-lines.ts'
import { junitOf } from './junit.ts'
import { lcovOf, mergedCoverage } from './lcov.ts'
import { readDirectory } from './read-directory.ts'
import { openRunner, type RunFile, type TestedFile } from './test-runner.ts'
import type { AutomationFile, TestFile, WorkspaceFolder } from './workspace-folders.ts'

export interface TestOptions {
  readonly workspace?: string
  readonly url?: string
  readonly junit?: string
  readonly coverage?: string
}

/** `ops automations test`: the tests of a directory, each file as soon as it is done. */
export async function testDirectory(
  terminal: Terminal,
  directory: string,
  options: TestOptions,
): Promise<number> {
  const folders = readDirectory(directory)
  requireTests(folders, directory, options)
  const startedAt = performance.now()
  const paint = paintOf(terminal)
  const opened: (WorkspaceFolder & { run: RunFile })[] = []
  for (const one of folders)
    opened.push({ ...one, run: await openRunner(terminal, one.automations, options) })
  const tested: TestedFile[] = []
  const coverage: (readonly AutomationCoverage[])[] = []
  // Several workspaces may have automations of one name.
  const shown = (folder: string, slug: string) =>
    folders.length === 1 || folder === '' ? slug : `${folder}/${slug}`
  for (const { folder, tests, run } of opened)
    for (const file of tests) {
      const { covered, ...one } = await runFile(run, file)
      coverage.push(covered.map((each) => ({ ...each, automationSlug: shown(folder, each.automationSlug) })))
      tested.push(one)
      terminal.print(linesOf(one, paint).join('\n'))
    }
  const merged = mergedCoverage(coverage)
  const automations = folders.flatMap(({ folder, automations: all }) =>
    all.map((one) => ({ ...one, slug: shown(folder, one.slug) })),
  )
  writeReports(options, tested, { merged, automations, directory })
  terminal.print(['', ...coverageLines(merged, paint), ...summary(tested, startedAt, paint)].join('\n'))
  return tested.every(isPassed) ? 0 : 1
}

/** Throws OpsProblem where there is nothing to test, or more than one workspace for the one of a platform. */
function requireTests(
  folders: readonly WorkspaceFolder[],
  directory: string,
  { workspace }: TestOptions,
): void {
  const tested = folders.filter(({ tests }) => tests.length > 0)
  if (tested.length === 0)
    throw new OpsProblem(`There are no tests in ${directory}: their files are called *.test.yml.`)
  if (workspace === undefined || folders.length === 1) return
  const names = folders.map(({ folder }) => (folder === '' ? '.' : folder)).join(', ')
  throw new OpsProblem(
    `${directory} has ${folders.length} workspaces (${names}): name the folder of the one that --workspace is.`,
  )
}

async function runFile(
  run: RunFile,
  file: TestFile,
): Promise<TestedFile & { readonly covered: readonly AutomationCoverage[] }> {
  const { name } = file
  const report = await run(file)
  if ('problem' in report) return { name, results: [], problem: report.problem, covered: [] }
  return { name, results: report.results, covered: report.coverage }
}

const isPassed = ({ results, problem }: TestedFile): boolean =>
  problem === undefined && results.every(({ status }) => status === 'passed')

function writeReports(
  { junit, coverage }: TestOptions,
  tested: readonly TestedFile[],
  found: {
    readonly merged: readonly AutomationCoverage[]
    readonly automations: readonly AutomationFile[]
    readonly directory: string
  },
): void {
  if (junit !== undefined) write(junit, junitOf(tested))
  if (coverage !== undefined) write(coverage, lcovOf(found.merged, found.automations, found.directory))
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw new OpsProblem(`${file} can't be written (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function linesOf(file: TestedFile, paint: Paint): string[] {
  const { name, results, problem } = file
  if (problem !== undefined) return [paint('red', `✗ ${name}`), `    ${plain(problem)}`]
  const ms = results.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const head = `${name}  ${counted(results.length, 'test')}  ${ms} ms`
  if (isPassed(file)) return [paint('green', `✓ ${head}`)]
  const notPassed = results.filter(({ status }) => status !== 'passed')
  return [paint('red', `✗ ${head}`), ...notPassed.flatMap((result) => failedLines(result, paint))]
}

function failedLines({ name, status, differences, error }: TestResult, paint: Paint): string[] {
  if (status === 'notRun') return [`  ${paint('yellow', plain(name))}`, '    There was no time left for it.']
  const place =
    error?.line === undefined
      ? []
      : [`    at ${error.automationSlug}, line ${error.line}, column ${error.column}`]
  return [
    `  ${paint('bold', plain(name))}`,
    ...differences.flatMap((one) => differenceLines(one, paint).map((line) => `    ${line}`)),
    ...place.map((line) => paint('grey', line)),
  ]
}

function coverageLines(coverage: readonly AutomationCoverage[], paint: Paint): string[] {
  if (coverage.length === 0) return []
  const rows = coverage.map(({ automationSlug, covered, total }) => [
    automationSlug,
    `${covered}/${total}`,
    shareOf(covered, total),
  ])
  const covered = coverage.reduce((sum, one) => sum + one.covered, 0)
  const total = coverage.reduce((sum, one) => sum + one.total, 0)
  const title = ['Automation', 'Instructions', 'Covered']
  const all = ['All', `${covered}/${total}`, shareOf(covered, total)]
  const colourOf = (at: number) => (coverage[at]?.covered === 0 ? 'yellow' : undefined)
  return [...table({ paint, title, rows: [...rows, all] }, colourOf), '']
}

const shareOf = (covered: number, total: number): string =>
  total === 0 ? '-' : `${Math.floor((100 * covered) / total)} %`

function summary(tested: readonly TestedFile[], startedAt: number, paint: Paint): string[] {
  const results = tested.flatMap((file) => file.results)
  const count = (status: TestResult['status']) => results.filter((one) => one.status === status).length
  const problems = tested.filter(({ problem }) => problem !== undefined).length
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const parts = [
    [count('passed'), 'passed', 'green'],
    [count('failed'), 'failed', 'red'],
    [count('notRun'), 'not run', 'yellow'],
    [problems, problems === 1 ? 'file not read' : 'files not read', 'red'],
  ] as const
  const told = parts
    .filter(([number]) => number > 0)
    .map(([number, what, colour]) => paint(colour, `${number} ${what}`))
  return [`${told.join(', ')} (${seconds} s)`]
}
