import { createLogger } from '@platform/logging'
import { defaultEventLimits } from '@platform/outbox'
import { readTests } from '../src/automation-tests/read-tests.ts'
import { runTestFiles, type TestParts } from '../src/automation-tests/run-test-files.ts'
import { TimeSlices } from '../src/automations/time-slices.ts'
import { automationCompiler } from '../src/definitions/compile-automation.ts'
import { compiled, type TestAutomations, testEngineParts, testFetches } from './testing.ts'

/** What tests of automations run by, without a service. */
function testParts(): TestParts {
  const { options, urls, lifetimes, maxDepth, maxWaitMs, unheardAnswer } = testEngineParts({
    fetches: testFetches(),
  })
  const slices = new TimeSlices()
  return {
    compile: automationCompiler(defaultEventLimits, slices),
    settings: {
      slices,
      options,
      urls,
      lifetimes,
      maxDepth,
      maxWaitMs,
      unheardAnswer,
      events: defaultEventLimits,
      contextSizes: { run: 10_000, user: 10_000, session: 10_000, global: 10_000, socket: 10_000 },
      log: createLogger({ level: 'silent' }),
      fetchSettings: testFetches().settings,
    },
  }
}

/** Runs the tests of a YAML text against automations. */
export async function runYaml(
  text: string,
  automations: TestAutomations = {},
  options: { readonly hasSteps?: boolean } = {},
) {
  return await runTestFiles(testParts(), {
    workspace: compiled(automations),
    tests: readTests({ name: 'a.test.yml', text }),
    automations: [],
    hasSteps: options.hasSteps === true,
    endsAt: performance.now() + 20_000,
  })
}
