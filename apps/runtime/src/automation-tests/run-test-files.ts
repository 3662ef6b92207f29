import { createHash } from 'node:crypto'
import { type AutomationCoverage, MOST_TESTS, type TestReport, type TestResult } from '@platform/contracts'
import { Failure, isRecord } from '@platform/kernel'
import { instructionPlaces, readYamlText, UnreadableText } from '@platform/source-texts'
import type { z } from 'zod'
import type { CompiledWorkspace } from '../automations/model.ts'
import type { TestSettings } from '../automations/test-settings.ts'
import type { CompileAutomation } from '../definitions/compile-automation.ts'
import { StepCounts } from './coverage.ts'
import type { NamedTest } from './read-tests.ts'
import { runTest } from './run-test.ts'
import { type GivenAutomation, withAutomations } from './test-workspace.ts'

/** An automation as it comes along with its tests. */
export interface AutomationText {
  readonly slug: string
  readonly text?: string | undefined
  readonly definition?: Readonly<Record<string, unknown>> | undefined
}

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

/** An automation that came along, made runnable. Throws RequestValidationError for a text that can't be read. */
export async function compileGiven(
  { slug, text, definition }: AutomationText,
  compile: CompileAutomation,
): Promise<GivenAutomation> {
  const source = text === undefined ? undefined : readText(slug, text)
  const value = source?.value ?? definition
  if (!isRecord(value))
    throw new Failure(
      'RequestValidationError',
      `The automation "${slug}" has neither a text nor a definition.`,
    )
  const { when, disabled, priority } = value
  const checksum = createHash('sha256')
    .update(text ?? JSON.stringify(value))
    .digest('hex')
  const { endpoint, events } = isRecord(when) ? when : {}
  return {
    slug,
    checksum,
    endpoint: endpointOf(slug, endpoint),
    events: events ?? null,
    disabled: disabled === true,
    priority: typeof priority === 'number' ? priority : null,
    compiled: { ...(await compile(slug, { name: slug, ...value })), checksum },
    places: source === undefined ? {} : instructionPlaces(value, source.placeOf),
  }
}

function readText(slug: string, text: string) {
  try {
    return readYamlText(text)
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error
    const [first] = error.details
    const place = first === undefined ? '' : ` (line ${first.line}, column ${first.column})`
    const message = `The automation "${slug}" can’t be read${place}: ${first?.message ?? error.message}`
    throw new Failure('RequestValidationError', message, { details: error.details })
  }
}

function endpointOf(slug: string, endpoint: unknown): string | null {
  if (endpoint === true) return slug
  const path = isRecord(endpoint) ? (endpoint.path ?? slug) : endpoint
  return typeof path === 'string' && path !== '' && path !== 'false' ? path : null
}

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
