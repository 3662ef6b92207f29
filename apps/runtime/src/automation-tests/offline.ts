import { randomBytes } from 'node:crypto'
import { automationLimitVariables } from '@platform/automation-checks'
import { type Env, readConfig } from '@platform/config'
import type { TestReport } from '@platform/contracts'
import { createLogger } from '@platform/logging'
import type { z } from 'zod'
import { testSettings } from '../automations/test-settings.ts'
import { TimeSlices } from '../automations/time-slices.ts'
import { runtimeEnv } from '../config.ts'
import { automationCompiler } from '../definitions/compile-automation.ts'
import { compileWorkspace } from '../definitions/compile-workspace.ts'
import { unheardAnswer } from '../webhooks/shaped-answer.ts'
import { type AutomationText, compileGiven } from './given-automations.ts'
import { readTests } from './read-tests.ts'
import { runTestFiles } from './run-test-files.ts'

export type { GivenProblem } from './given-automations.ts'

/** Runs the tests of one file. Throws RequestValidationError for one that can't be read. */
export type RunOffline = (file: {
  readonly name: string
  readonly text: string
}) => Promise<z.output<typeof TestReport>>

/** Longest the tests of one file may take where nobody else waits. */
const MOST_MS = 600_000

const counting = ['DEFAULT_LOCALE', 'DEFAULT_TIMEZONE', ...Object.keys(automationLimitVariables)]

/** What a service needs and a test does not. */
const standIns = () => ({
  DATABASE_URL: 'postgres://127.0.0.1/none',
  INTERNAL_API_KEY: randomBytes(32).toString('base64'),
})

/** The id of the workspace that a directory is. */
const OFFLINE = 'workspace0000000'

/**
 * Automations and the engine that runs them, in this process: without a server, a store or a network. Of `env` only
 * language, time zone and what an automation may be count. Throws InvalidAutomation for those that could not be saved.
 */
export async function openOffline(
  automations: readonly AutomationText[],
  env: Env = {},
): Promise<RunOffline> {
  const slices = new TimeSlices()
  const config = readConfig(runtimeEnv, {
    ...standIns(),
    ...Object.fromEntries(Object.entries(env).filter(([name]) => counting.includes(name))),
  })
  const log = createLogger({ level: 'silent' })
  const settings = testSettings(config, { slices, log, unheardAnswer, marker: undefined })
  const compileFor = automationCompiler(config.events, slices)
  const compile = (slug: string, saved: unknown) => compileFor(OFFLINE, slug, saved)
  const given = await compileGiven(automations, compile, config.automationLimits)
  const workspace = compileWorkspace(
    {
      workspaceId: OFFLINE,
      workspaceSlug: 'workspace',
      workspaceName: 'Workspace',
      config: {},
      revision: 1,
      length: 0,
      automations: [],
    },
    () => undefined,
  )
  return async ({ name, text }) => {
    const tests = readTests({ name, text })
    const endsAt = performance.now() + MOST_MS
    return await runTestFiles(settings, { workspace, tests, given, hasSteps: false, endsAt })
  }
}
