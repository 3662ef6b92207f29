import { setImmediate as nextTurn } from 'node:timers/promises'
import { runTests as endpoint, RunTestsRequest } from '@platform/contracts'
import { type AutomationText as BodyText, route } from '@platform/http'
import { Failure, FairPlaces, isRecord, SECOND_MS } from '@platform/kernel'
import { readJsonText, readYamlText, type SourceText, UnreadableText } from '@platform/source-texts'
import type { z } from 'zod'
import type { CompiledAutomation, CompiledWorkspace } from '../automations/model.ts'
import { requireActive } from '../automations/suspension.ts'
import type { TestSettings } from '../automations/test-settings.ts'
import type { CompileAutomation } from '../definitions/compile-automation.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { RefusedAutomations } from '../processes/refused-automations.ts'
import { compileGiven } from './given-automations.ts'
import { type NamedTest, readTestContent, readTests } from './read-tests.ts'
import { runTestFiles } from './run-test-files.ts'
import type { GivenAutomation } from './test-workspace.ts'

interface Deps {
  readonly settings: TestSettings
  readonly compile: CompileAutomation
  readonly definitions: Pick<Definitions, 'find'>
  readonly refused: Pick<RefusedAutomations, 'require'>
}

/** Longest the tests of one request may take, and what is left to answer before the request is given up. */
const MOST_MS = 10 * SECOND_MS
const RESERVE_MS = 2 * SECOND_MS

export const runTests = (deps: Deps) => {
  const places = new FairPlaces({ each: 1, all: 2 })
  return route(endpoint, {
    async handle({ body, request, admitted }) {
      const wanted = readBody(body as unknown as BodyText)
      const found = await deps.definitions.find(admitted.workspace.id)
      if (found === undefined)
        throw new Failure('ObjectNotFoundError', 'There is no such workspace, or you may not see it.')
      requireActive(found)
      const workspace = withoutRefused(found, deps.refused)
      const giveBack = await places.take(workspace.id, request.signal)
      try {
        const leftMs = Math.min(MOST_MS, request.deadlineAt - Date.now() - RESERVE_MS)
        const endsAt = performance.now() + leftMs
        const read = await readTexts(wanted, workspace.id, deps)
        for (const { compiled } of read.given) deps.refused.require(workspace.id, compiled)
        return await runTestFiles(deps.settings, {
          ...read,
          workspace,
          hasSteps: wanted.steps === true,
          endsAt,
        })
      } finally {
        giveBack()
      }
    },
  })
}

/** What has ended a process is not run in a test either. */
const withoutRefused = (workspace: CompiledWorkspace, refused: Deps['refused']): CompiledWorkspace => {
  const checked = (automation: CompiledAutomation | undefined) => {
    if (automation !== undefined) refused.require(workspace.id, automation)
    return automation
  }
  return {
    ...workspace,
    find: (slug) => {
      const found = workspace.find(slug)
      return found instanceof Promise ? found.then(checked) : checked(found)
    },
  }
}

type Wanted = z.output<typeof RunTestsRequest>

/** One file of tests, or a request with several. */
function readBody(body: BodyText): Wanted {
  const { value } = readText(body)
  const isFile = !isRecord(value) || !('files' in value)
  const parsed = RunTestsRequest.safeParse(isFile ? { files: [{ name: 'tests', text: body.text }] } : value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const message = `${issue?.path.map(String).join('.') ?? 'body'}: ${issue?.message ?? 'is not valid'}`
  throw new Failure('RequestValidationError', message, { details: parsed.error.issues })
}

/** Reading a text takes its time: others get their turn between two of them. */
async function readTexts(
  { files, automations = [] }: Wanted,
  workspaceId: string,
  { compile, settings }: Pick<Deps, 'compile' | 'settings'>,
): Promise<{ tests: NamedTest[]; given: GivenAutomation[] }> {
  const tests: NamedTest[] = []
  for (const { name, text, content } of files) {
    tests.push(...(text === undefined ? readTestContent(name, content) : readTests({ name, text })))
    await nextTurn()
  }
  const compileHere = (slug: string, saved: unknown) => compile(workspaceId, slug, saved)
  return { tests, given: await compileGiven(automations, compileHere, settings.automationLimits) }
}

function readText({ text, mediaType }: BodyText): SourceText {
  try {
    return mediaType === 'json' ? readJsonText(text) : readYamlText(text)
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error
    const message = error.details[0]?.message ?? error.message
    throw new Failure('RequestValidationError', message, { details: error.details })
  }
}
