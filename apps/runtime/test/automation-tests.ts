import { automationLimits, automationLimitVariables } from '@platform/automation-checks'
import { createLogger } from '@platform/logging'
import { defaultEventLimits } from '@platform/outbox'
import { z } from 'zod'
import { readTests } from '../src/automation-tests/read-tests.ts'
import { runTestFiles } from '../src/automation-tests/run-test-files.ts'
import type { TestSettings } from '../src/automations/test-settings.ts'
import { TimeSlices } from '../src/automations/time-slices.ts'
import { compiled, type TestAutomations, testEngineParts, testFetches } from './testing.ts'

/** What tests of automations run by, without a service. */
function settings(): TestSettings {
  const { options, urls, lifetimes, maxDepth, maxWaitMs, unheardAnswer } = testEngineParts()
  return {
    slices: new TimeSlices(),
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
    automationLimits: automationLimits(z.object(automationLimitVariables).parse({})),
  }
}

/** Runs the tests of a YAML text against automations. */
export async function runYaml(
  text: string,
  automations: TestAutomations = {},
  options: { readonly hasSteps?: boolean } = {},
) {
  return await runTestFiles(settings(), {
    workspace: compiled(automations),
    tests: readTests({ name: 'a.test.yml', text }),
    given: [],
    hasSteps: options.hasSteps === true,
    endsAt: performance.now() + 20_000,
  })
}

/** Runs one test and tells what was not as expected. */
export async function told(text: string, automations: TestAutomations): Promise<string[]> {
  const { results } = await runYaml(text, automations)
  return results.flatMap(({ differences }) => differences.map(({ message }) => message))
}
