import type { StubPlace } from '../automations/model.ts'
import { keptAnswer } from '../modules/kept-answer.ts'
import { callModule, ownFunctions } from '../modules/modules.ts'
import type { AnswersByName } from './stub-answers.ts'
import { testCollectionFunctions } from './test-collection-functions.ts'
import type { TestCollections } from './test-collections.ts'
import type { TestSecrets } from './test-secrets.ts'

interface Parts {
  readonly answers: AnswersByName
  readonly collections: TestCollections
  readonly secrets: TestSecrets
}

/** Calls functions of modules in a test: as the test says, in memory, or, where they only compute, as always. */
export function testModules({ answers, collections, secrets }: Parts) {
  const functions = {
    ...ownFunctions,
    secrets: secrets.functions,
    collections: testCollectionFunctions(collections),
  }
  return (module: string, name: string, parameters: unknown, { frame, path }: StubPlace): unknown => {
    const call = { frame, path, stores: undefined }
    const key = `${module}.${name}`
    if (answers.has(key)) return keptAnswer(call, async () => answers.next(key))
    return callModule(module, name, parameters, call, functions)
  }
}
