import { type AutomationCoverage, MOST_TESTS, type TestReport, type TestResult } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { z } from 'zod'
import type { CompiledWorkspace } from '../automations/model.ts'
import type { TestSettings } from '../automations/test-settings.ts'
import { StepCounts } from './coverage.ts'
import type { NamedTest } from './read-tests.ts'
import { runTest } from './run-test.ts'
import { type GivenAutomation, withAutomations } from './test-workspace.ts'

export interface TestsOrder {
  readonly workspace: CompiledWorkspace
  readonly tests: readonly NamedTest[]
  /** Automations in place of those of the workspace. */
  readonly given: readonly GivenAutomation[]
  readonly hasSteps: boolean
  /** No test begins after this, in milliseconds of `performance.now()`. */
  readonly endsAt: number
}

/** Characters of steps and values in one report. */
const MOST_REPORTED = 2_000_000

/** Runs tests one after another: each has all around it anew. */
export async function runTestFiles(
  settings: TestSettings,
  { tests, given, hasSteps, endsAt, workspace: base }: TestsOrder,
): Promise<z.output<typeof TestReport>> {
  if (tests.length > MOST_TESTS)
    throw new Failure('RequestValidationError', `There are ${tests.length} tests; ${MOST_TESTS} run at once.`)
  const startedAt = performance.now()
  const workspace = withAutomations(base, given)
  const counts = new StepCounts()
  const results: TestResult[] = []
  let left = MOST_REPORTED
  for (const { file, test } of tests) {
    const begunAt = performance.now()
    if (begunAt > endsAt) {
      results.push({ file, name: test.name, status: 'notRun', durationMs: 0, differences: [] })
      continue
    }
    const result = await runTest({ settings, workspace, test, counts, hasSteps })
    const durationMs = Math.round(performance.now() - begunAt)
    const whole = { file, ...result, durationMs }
    left -= JSON.stringify(whole).length
    results.push(left >= 0 ? whole : withoutValues(whole))
  }
  const count = (status: TestResult['status']) => results.filter((one) => one.status === status).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    notRun: count('notRun'),
    durationMs: Math.round(performance.now() - startedAt),
    results,
    coverage: await coverageOf(workspace, counts, given),
  }
}

const withoutValues = ({ differences, steps: _, contexts: __, ...result }: TestResult): TestResult => ({
  ...result,
  differences: differences.map(({ path, message }) => ({ path, message })),
})

async function coverageOf(
  workspace: CompiledWorkspace,
  counts: StepCounts,
  given: readonly GivenAutomation[],
): Promise<AutomationCoverage[]> {
  const slugs = new Set([...given.map(({ slug }) => slug), ...counts.automations])
  const places = new Map(given.map((one) => [one.slug, one.places]))
  const covered: AutomationCoverage[] = []
  for (const slug of [...slugs].sort()) {
    const automation = await workspace.find(slug)
    if (automation !== undefined) covered.push(counts.coverageOf(automation, places.get(slug)))
  }
  return covered
}
