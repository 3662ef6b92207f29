import { runTests as endpoint, RunTestsRequest } from '@platform/contracts'
import { type AutomationText as BodyText, route } from '@platform/http'
import { Failure, FairPlaces, SECOND_MS } from '@platform/kernel'
import { isRecord, readJsonText, readYamlText, type SourceText, UnreadableText } from '@platform/source-texts'
import type { Definitions } from '../definitions/definitions.ts'
import { type NamedTest, readTestContent, readTests } from './read-tests.ts'
import { type AutomationText, runTestFiles, type TestParts } from './run-test-files.ts'

interface Deps extends TestParts {
  readonly definitions: Pick<Definitions, 'find'>
}

/** Longest the tests of one request may take, and what is left to answer before the request is given up. */
const MOST_MS = 10 * SECOND_MS
const RESERVE_MS = 2 * SECOND_MS

export const runTests = (deps: Deps) => {
  const places = new FairPlaces({ each: 1, all: 2 })
  return route(endpoint, {
    async handle({ body, request, admitted }) {
      const { tests, automations, hasSteps } = readBody(body as unknown as BodyText)
      const workspace = await deps.definitions.find(admitted.workspace.id)
      if (workspace === undefined)
        throw new Failure('ObjectNotFoundError', 'There is no such workspace, or you may not see it.')
      const giveBack = await places.take(workspace.id, request.signal)
      try {
        const leftMs = Math.min(MOST_MS, request.deadlineAt - Date.now() - RESERVE_MS)
        const endsAt = performance.now() + leftMs
        return await runTestFiles(deps, { workspace, tests, automations, hasSteps, endsAt })
      } finally {
        giveBack()
      }
    },
  })
}

interface Wanted {
  readonly tests: readonly NamedTest[]
  readonly automations: readonly AutomationText[]
  readonly hasSteps: boolean
}

/** One file of tests, or a request with several. */
function readBody(body: BodyText): Wanted {
  const source = readText(body)
  const { text } = body
  if (!isRecord(source.value) || !('files' in source.value))
    return { tests: readTests({ name: 'tests', text }), automations: [], hasSteps: false }
  const parsed = RunTestsRequest.safeParse(source.value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const message = `${issue?.path.map(String).join('.') ?? 'body'}: ${issue?.message ?? 'is not valid'}`
    throw new Failure('RequestValidationError', message, { details: parsed.error.issues })
  }
  const { files, automations = [], steps = false } = parsed.data
  const tests = files.flatMap(({ name, text: content, content: value }) =>
    content === undefined ? readTestContent(name, value) : readTests({ name, text: content }),
  )
  return { tests, automations, hasSteps: steps }
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
