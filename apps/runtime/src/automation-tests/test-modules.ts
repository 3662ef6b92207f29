import type { StubPlace } from '../automations/model.ts'
import { keptAnswer } from '../modules/kept-answer.ts'
import { callModule, ownFunctions } from '../modules/modules.ts'
import type { AnswersByName, FailTest } from './stub-answers.ts'
import { testCollectionFunctions } from './test-collection-functions.ts'
import type { TestCollections } from './test-collections.ts'
import type { TestSecrets } from './test-secrets.ts'

interface Parts {
  /** Of functions of modules, and of functions in code. */
  readonly modules: AnswersByName
  readonly functions: AnswersByName
  readonly collections: TestCollections
  readonly secrets: TestSecrets
  readonly fail: FailTest
}

/** What functions in code are called by. */
const CODE = 'Custom Code'

/** Calls functions of modules in a test: as the test says, in memory, or, where they only compute, as always. */
export function testModules({ modules, functions, collections, secrets, fail }: Parts) {
  const own = {
    ...ownFunctions,
    secrets: secrets.functions,
    collections: testCollectionFunctions(collections),
  }
  return (module: string, name: string, parameters: unknown, { frame, path }: StubPlace): unknown => {
    const call = { frame, path, stores: undefined }
    const key = `${module}.${name}`
    if (modules.has(key)) return keptAnswer(call, async () => modules.next(key))
    if (module !== CODE) return callModule(module, name, parameters, call, own)
    if (functions.has(name)) return keptAnswer(call, async () => functions.next(name))
    return fail(`The test has no answer for the function "${name}": add it to \`functions\`.`)
  }
}
