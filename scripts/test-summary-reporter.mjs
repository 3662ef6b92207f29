import { writeFileSync } from 'node:fs'
import { watchSlowness } from '../packages/testing/src/slowness.ts'

/** A vitest reporter that leaves the counts of the run in the file TEST_SUMMARY_FILE, for scripts/run-tests.mjs. */
export default class TestSummaryReporter {
  #slowness = watchSlowness()

  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const inState = (state) => tests.filter((test) => test.result().state === state).length
    const summary = {
      slowness: this.#slowness(),
      passed: inState('passed'),
      failed: inState('failed') + modules.filter(failedByItself).length + unhandledErrors.length,
      skipped: inState('skipped'),
      skippedSuites: modules.flatMap(skippedSuitesOf),
      secondAttempts: tests.filter(passedAtLast).map(nameOf),
      slowest: tests
        .map(timed)
        .filter(({ seconds }) => seconds > 1)
        .sort((one, other) => other.seconds - one.seconds),
    }
    writeFileSync(process.env.TEST_SUMMARY_FILE, JSON.stringify(summary))
  }
}

const nameOf = (test) => `${test.fullName} (${test.module.relativeModuleId})`

const passedAtLast = (test) => test.result().state === 'passed' && (test.diagnostic()?.retryCount ?? 0) > 0

const timed = (test) => ({
  name: nameOf(test),
  seconds: (test.diagnostic()?.duration ?? 0) / 1000,
  project: test.project.name,
  file: test.module.relativeModuleId,
  fullName: test.fullName,
})

/** A file that could not be loaded, or whose hooks failed, without any failed test in it. */
function failedByItself(module) {
  if (module.state() !== 'failed') return false
  return ![...module.children.allTests()].some((test) => test.result().state === 'failed')
}

function skippedSuitesOf(module) {
  return [...module.children]
    .filter((child) => child.type === 'suite' && isSkipped(child))
    .map(
      (suite) => `${suite.name} (${[...suite.children.allTests()].length} tests, ${module.relativeModuleId})`,
    )
}

function isSkipped(suite) {
  const tests = [...suite.children.allTests()]
  return tests.length > 0 && tests.every((test) => test.result().state === 'skipped')
}
