import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type FunctionInput,
  functionsDescription,
  type InstructionName,
  instructionDescriptions,
  type ModuleDescription,
  modules,
  stepRetryDescription,
} from '@platform/contracts'
import { permissionStore } from '@platform/permissions'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testFunctions } from '../../test/functions.ts'
import { testModules } from '../../test/modules.ts'
import { testOwnApi } from '../../test/own-api.ts'
import {
  compiled,
  runMain,
  runsDatabase,
  type TestFunctions,
  testEngine,
  testFetches,
} from '../../test/testing.ts'
import type { Engine } from '../automations/engine.ts'
import type { ModuleStores } from '../modules/module.ts'

const names = Object.keys(instructionDescriptions) as InstructionName[]

let stores: ModuleStores
let places: ReturnType<typeof testFunctions>
let engine: Engine
let database: TestDatabase

/** Stands in for the addresses of the examples: it takes orders. */
let shop: Server

beforeAll(async () => {
  database = await runsDatabase()
  stores = testModules(database)
  await permissionStore(database).insertWorkspace({ id: 'w0123456789abcde', slug: 'test', name: 'Test' })
  places = testFunctions()
  engine = testEngine({ functions: places, fetches: testFetches({}, await testOwnApi()) })
  shop = createServer((request, response) => {
    response.writeHead(201, { 'content-type': 'application/json' })
    request.pipe(response)
  })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  shop.close()
  await places[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const atShop = <T>(value: T): T => {
  const { port } = shop.address() as AddressInfo
  return JSON.parse(JSON.stringify(value).replaceAll('https://shop.example', `http://127.0.0.1:${port}`)) as T
}

/** Runs an example; answers its output. */
async function outputOf({
  do: steps,
  output,
  functions = [],
}: {
  do: readonly object[]
  output?: unknown
  functions?: readonly FunctionInput[]
}): Promise<unknown> {
  const greet = { output: 'Hello {{name}}' }
  const main = atShop({ do: [...steps] as Record<string, unknown>[], output })
  const declared = Object.fromEntries(functions.map(({ name, ...one }) => [name, one])) as TestFunctions
  const workspace = compiled({ main, greet }, {}, stores, declared)
  const outcome = await runMain(
    workspace,
    { body: { key: 'sk-of-the-shop' } },
    { timeLimitMs: 60_000 },
    engine,
  )
  expect(outcome.failed).toBeUndefined()
  return outcome.output
}

test('the example of retry beside an instruction gives what the documents say', async () => {
  expect(await outputOf(stepRetryDescription.example)).toEqual(stepRetryDescription.example.gives)
})

test.each(names)('the example of %s can be compiled and uses it', async (name) => {
  const { do: steps } = instructionDescriptions[name].example
  expect((await compiled({ main: { do: [...steps] } }).compile('main'))?.problems).toEqual([])
  expect(JSON.stringify(steps)).toContain(`"${name}":`)
})

test.each(names)('the example of %s gives what the documents say', async (name) => {
  const { gives, ...example } = instructionDescriptions[name].example
  expect(await outputOf(example)).toEqual(gives)
})

test.each(functionsDescription.examples)(
  'the function of the documents gives what they say: $declared.name',
  { timeout: 60_000 },
  async ({ declared, parameters, gives }) => {
    const { name } = declared
    const step = { 'Custom Code.run': { function: name, parameters, output: 'out' } }
    expect(await outputOf({ functions: [declared], do: [step], output: '{{out}}' })).toEqual(gives)
  },
)

test.each(Object.entries<ModuleDescription>(modules))(
  'the example of the module %s gives what the documents say',
  async (name, { example, functions }) => {
    const used = example.do.flatMap((step) => Object(step.run).function ?? [])
    expect(Object.keys(functions)).toEqual(expect.arrayContaining(used))
    expect(JSON.stringify(example.do)).toContain(`"module":"${name}"`)
    const { gives, ...written } = example
    expect(await outputOf(written)).toEqual(gives)
  },
)
