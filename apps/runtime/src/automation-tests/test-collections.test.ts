import { rounds, type TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CollectionCall, collectionCases } from '../../test/collection-cases.ts'
import { testModules as openModules } from '../../test/modules.ts'
import { randomOf } from '../../test/programs.ts'
import { compiled, runMain, runsDatabase, testEngine } from '../../test/testing.ts'
import type { ModuleStores } from '../modules/module.ts'
import { AnswersByName } from './stub-answers.ts'
import { TestCollections } from './test-collections.ts'
import { testModules } from './test-modules.ts'
import { TestSecrets } from './test-secrets.ts'
import { TestTime } from './test-time.ts'

let database: TestDatabase
let stores: ModuleStores
beforeAll(async () => {
  database = await runsDatabase()
  stores = openModules(database)
})
afterAll(() => database[Symbol.asyncDispose]())

/** What a function answers, or the sentence it fails with. */
type Call = (call: CollectionCall) => Promise<unknown>

const main = {
  do: [{ run: { module: 'collections', function: '{{name}}', parameters: '{{given}}', output: 'out' } }],
  output: '{{out}}',
}

const caller =
  (workspace: ReturnType<typeof compiled>, engine = testEngine()): Call =>
  async ([name, given]) => {
    const { failed, output } = await runMain(workspace, { name, given }, {}, engine)
    return failed === undefined ? output : failed.failure.message
  }

let made = 0
/** A workspace that has no collections yet. */
function onPostgreSql(): Call {
  made += 1
  const id = `wcollections${String(made).padStart(4, '0')}`
  return caller({ ...compiled({ main }, {}, stores), id })
}

function inATest(): Call {
  let count = 0
  const idOf = () => {
    count += 1
    return `01900000-0000-7000-8000-${String(count * 7919)
      .padStart(12, '0')
      .slice(-12)}`
  }
  const fail = (message: string): never => {
    throw new Error(message)
  }
  const none = new AnswersByName({ answers: {}, what: 'The function', field: 'modules', fail })
  const collections = new TestCollections({ clock: new TestTime(new Date()), keeps: () => undefined, idOf })
  const secrets = new TestSecrets({})
  const stubs = {
    callModule: testModules({ modules: none, functions: none, collections, secrets, fail }),
    reveal: () => fail('Nothing is sent.'),
    secretsBehind: () => fail('Nothing is signed.'),
    joinTopic: () => fail('Nobody joins.'),
  }
  return caller(compiled({ main }), testEngine({ stubs }))
}

const UUID = /"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"/g
const INSTANT = /"\d{4}-\d{2}-\d{2}T[^"]*Z"/g

/** What is said of an answer, also the order of its fields, but not what is another each time. */
const shown = (answer: unknown): string =>
  (JSON.stringify(answer) ?? 'undefined').replace(UUID, '"an id"').replace(INSTANT, '"an instant"')

describe('collections, in a test as on PostgreSQL:', () => {
  test.each(Object.entries(collectionCases))('%s', async (_, steps) => {
    const sides = [onPostgreSql(), inATest()]
    const answers = await Promise.all(
      sides.map(async (call) => {
        const told: string[] = []
        for (const { call: asked, gives } of steps) {
          const answer = await call(asked)
          if (gives !== undefined) expect(answer, JSON.stringify(asked)).toEqual(gives)
          told.push(`${JSON.stringify(asked)} gives ${shown(answer)}`)
        }
        return told
      }),
    )
    expect(answers[1]).toEqual(answers[0])
  })

  const PROGRAMS = rounds(4, 300)
  test(`${PROGRAMS} random programs`, async () => {
    const random = randomOf(71)
    for (let count = 0; count < PROGRAMS; count += 1) {
      const [platform, inMemory] = [onPostgreSql(), inATest()]
      for (const asked of program(random)) {
        const answers = await Promise.all([platform(asked), inMemory(asked)])
        const [wanted, got] = answers.map(shown)
        expect(got, JSON.stringify(asked)).toBe(wanted)
      }
    }
  }, 120_000)
})

/** Calls of one collection, in which much is alike. */
function program(random: () => number): CollectionCall[] {
  const pick = <T>(...options: readonly T[]): T => options[Math.floor(random() * options.length)] as T
  const scalar = () =>
    pick<unknown>(null, true, false, 0, 1, -1.5, 0.1, 1e-7, 1e21, '', 'a', 'B', 'é', '😀', '\uFFFD')
  const value = (): unknown =>
    random() < 0.75
      ? scalar()
      : pick<unknown>([scalar(), scalar()], [], { bb: scalar(), a: scalar() }, [[scalar()]])
  const record = () =>
    Object.fromEntries(['v', 'long', 'w', 'id'].flatMap((name) => (random() < 0.6 ? [[name, value()]] : [])))
  const path = () => pick('v', 'w', 'long', 'v.a', 'w.0', 'v.-1', 'id', 'w.bb', 'none')
  const query = () =>
    pick<Record<string, unknown>>(
      {},
      { [path()]: scalar() },
      { [path()]: { [pick('$gt', '$lte', '$ne')]: scalar() } },
      { [path()]: { $in: [scalar(), scalar()] } },
      { w: { $exists: true } },
    )
  const opts = () => ({
    sort: { [path()]: pick(1, -1), [path()]: pick(1, -1) },
    ...pick({}, { limit: 2, page: 2 }, { skip: 1, limit: 3 }, { fields: [path(), path()] }),
  })
  const steps = (['sum', 'avg', 'min', 'max', 'count'] as const).map((type) => ({
    type,
    inputField: path(),
    outputField: type,
  }))
  const change = () =>
    pick<Record<string, unknown>>(
      { [pick('v', 'w')]: value() },
      { $inc: { v: 1 } },
      { $push: { w: scalar() } },
      { $set: { 'v.a': scalar() }, $unset: { long: 1 } },
    )
  const given = (): CollectionCall =>
    pick<() => CollectionCall>(
      () => ['bulkCreate', { collection: 'c', data: [record(), record(), record()] }],
      () => ['create', { collection: 'c', data: record() }],
      () => [pick('updateOne', 'updateMany'), { collection: 'c', query: query(), data: change() }],
      () => [
        'bulkUpsert',
        { collection: 'c', data: [record(), record()], onConflictFields: [pick('v', 'id')] },
      ],
      () => [pick('deleteOne', 'deleteMany'), { collection: 'c', query: { [path()]: scalar() } }],
      () => [
        'updateSchema',
        { collection: 'c', ...pick({ uniques: ['w'] }, { uniques: [] }, { indexes: ['v'] }) },
      ],
      () => [pick('findMany', 'findOne', 'findAndCount'), { collection: 'c', query: query(), opts: opts() }],
      () => [
        'aggregate',
        { collection: 'c', query: query(), groupBy: pick([], [path()], ['v', path()]), steps },
      ],
      () => ['distinct', { collection: 'c', field: path(), opts: pick({}, { count: true, sort: -1 }) }],
    )()
  return Array.from({ length: 40 }, given).flatMap((one) => [one, ['findMany', { collection: 'c' }]])
}
