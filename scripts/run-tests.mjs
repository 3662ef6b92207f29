import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inRoot } from './set-up/paths.mjs'
import { runScript } from './set-up/problem.mjs'
import { run } from './set-up/run.mjs'
import { setUp } from './set-up/set-up.mjs'
import { watchStops } from './set-up/stops.mjs'

/** Runs vitest with whatever arguments were given and closes with the line `N passed, N failed`. */
async function runTests(args) {
  const stops = watchStops({ graceMs: 9500, stoppedCode: 130 })
  const node = await setUp(stops)
  const leavesToCi = isShort(args)
  if (leavesToCi) process.env.TESTS_LEAVE_TO_CI = '1'
  const { summary, code } = await testOnce(stops, node, args)
  const isLong = process.env.NIGHTLY === '1'
  const slow = summary && process.env.CI && !isLong && code === 0 ? await slowAlone(stops, node, summary) : []
  if (leavesToCi) console.log(LEFT_TO_CI)
  return report(summary, code, slow)
}

/** True for `npm test` as the README says it: nothing is named, and nobody insists on all of it. */
const isShort = (args) =>
  args.length === 0 && !process.env.CI && process.env.REQUIRE_SERVERS !== '1' && process.env.NIGHTLY !== '1'

const LEFT_TO_CI =
  'LEFT TO CI: the tests that kill platforms, start process after process, attack, measure, or drive a browser. ' +
  'CI=true npm test runs them, too, ' +
  'and npm test -- <file> one of them.'

/** One run of vitest with what it says of itself. */
async function testOnce(stops, node, args) {
  const folder = mkdtempSync(join(tmpdir(), 'platform-tests-'))
  const summaryFile = join(folder, 'summary.json')
  try {
    const code = await run(stops, node, vitest(args), { ...colours, TEST_SUMMARY_FILE: summaryFile })
    return { code, summary: readSummary(summaryFile) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How many of the slowest tests are named. */
const SHOWN = 10

/** How long a unit test may take: longer ones are waited for by everybody, each time. */
const UNIT_TEST_SECONDS = 5

/** Where a store is in trouble or behind, deadlines of the platform itself are waited for: such tests take longer. */
const OUTAGE_SECONDS = 20
const ABOUT_OUTAGES = [
  'apps/events/src/event-log/log-backpressure.test.ts',
  'apps/events/src/indexing/indexing-part.test.ts',
  'packages/broker/src/nats/outage.test.ts',
  'packages/search/src/index-store/index-faults.test.ts',
]

const secondsFor = (file) => (ABOUT_OUTAGES.includes(file) ? OUTAGE_SECONDS : UNIT_TEST_SECONDS)

/** So many of them are looked at again, so often: beside others any test may. The limit grows with what else runs. */
const AGAIN = { tests: 30, times: 2 }

const isSlowUnitTest = ({ project, seconds, file }) => project === 'unit' && seconds > secondsFor(file)

/** The unit tests that take too long alone as well, each time. */
async function slowAlone(stops, node, { slowest }) {
  let slow = slowest.filter(isSlowUnitTest).slice(0, AGAIN.tests)
  for (let time = 0; time < AGAIN.times && slow.length > 0; time += 1) {
    console.log('Once more alone, because they took too long:')
    for (const { name } of slow) console.log(`  ${name}`)
    const { summary } = await testOnce(stops, node, alone(slow))
    if (summary === undefined || summary.failed > 0) break
    const isSlowStill = ({ name, file }) =>
      summary.slowest.some((one) => one.name === name && one.seconds > secondsFor(file) * summary.slowness)
    slow = slow.filter(isSlowStill)
  }
  return slow
}

/** One after the other, in one run: what they share is set up once. */
function alone(tests) {
  const patterns = tests.map(({ fullName }) =>
    fullName.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' > ', ' (?:> )?'),
  )
  const files = new Set(tests.map(({ file }) => file))
  return ['--project', 'unit', '--maxWorkers=1', '-t', `^(?:${patterns.join('|')})$`, ...files]
}

const colours = process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: '1' }

const vitest = (args) => [
  inRoot('node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--reporter=default',
  `--reporter=${inRoot('scripts', 'test-summary-reporter.mjs')}`,
  ...args,
]

const NOTHING = { passed: 0, failed: 0, skipped: 0, skippedSuites: [], secondAttempts: [], slowest: [] }

/** Prints what is to be known of a run, its counts last, and answers the exit code. */
function report(summary, code, slow) {
  if (!summary && code === 0) return 0 // no run: --help, --version
  const { passed, failed, skipped, ...notes } = summary ?? NOTHING
  for (const line of linesOf(notes, slow)) console.log(line)
  // A run that ends badly without a failed test (it could not even begin) still failed.
  const failures = slow.length + (code === 0 ? failed : Math.max(failed, 1))
  const others = skipped > 0 ? `, ${skipped} skipped` : ''
  console.log(`${passed - slow.length} passed, ${failures} failed${others}`)
  return slow.length > 0 ? 1 : code
}

function linesOf({ slowest, skippedSuites, secondAttempts }, slow) {
  const timed = slowest
    .slice(0, SHOWN)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`)
  const remedy = 'Skipped suites need a server: .ci/run starts all of them, scripts/servers/ one.'
  return [
    ...(timed.length > 0 ? ['The slowest tests:', ...timed] : []),
    ...skippedSuites.map((suite) => `SKIPPED: ${suite}`),
    ...(skippedSuites.length > 0 ? [remedy] : []),
    ...secondAttempts.map((test) => `PASSED ONLY AT THE SECOND ATTEMPT: ${test}`),
    ...slow.map(({ name, file }) => `TOO SLOW: ${name}: a unit test may take ${secondsFor(file)} s alone.`),
  ]
}

function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

await runScript(() => runTests(process.argv.slice(2)))
