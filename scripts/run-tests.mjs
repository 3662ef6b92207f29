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
  const folder = mkdtempSync(join(tmpdir(), 'platform-tests-'))
  const summaryFile = join(folder, 'summary.json')
  try {
    const code = await run(stops, node, vitest(args), { ...colours, TEST_SUMMARY_FILE: summaryFile })
    return report(readSummary(summaryFile), code)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const colours = process.stdout.isTTY || process.env.FORCE_COLOR ? {} : { NO_COLOR: '1' }

const vitest = (args) => [
  inRoot('node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--reporter=default',
  `--reporter=${inRoot('scripts', 'test-summary-reporter.mjs')}`,
  ...args,
]

function report(summary, code) {
  if (!summary && code === 0) return 0 // no run: --help, --version
  const { passed, failed, skipped, skippedSuites, secondAttempts, slowest } = summary ?? {
    passed: 0,
    failed: 0,
    skipped: 0,
    skippedSuites: [],
    secondAttempts: [],
    slowest: [],
  }
  if (slowest.length > 0) console.log('The slowest tests:')
  for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(6)} s  ${name}`)
  for (const suite of skippedSuites) console.log(`SKIPPED: ${suite}`)
  if (skippedSuites.length > 0)
    console.log('Skipped suites need a server: .ci/run starts all of them, scripts/servers/ one.')
  for (const test of secondAttempts) console.log(`PASSED ONLY AT THE SECOND ATTEMPT: ${test}`)
  // A run that ends badly without a failed test (it could not even begin) still failed.
  const failures = code === 0 ? failed : Math.max(failed, 1)
  console.log(`${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return code
}

function readSummary(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

await runScript(() => runTests(process.argv.slice(2)))
