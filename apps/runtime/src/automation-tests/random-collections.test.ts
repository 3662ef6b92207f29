import { rounds, type TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runYaml } from '../../test/automation-tests.ts'
import { testModules } from '../../test/modules.ts'
import { randomOf } from '../../test/programs.ts'
import { compiled, runMain, runsDatabase } from '../../test/testing.ts'
import type { ModuleStores } from '../modules/module.ts'

const PROGRAMS = rounds(40, 5000)
const CALLS = 20

let database: TestDatabase
let stores: ModuleStores
beforeAll(async () => {
  database = await runsDatabase()
  stores = testModules(database, { collections: { maxCollections: 100_000, maxRecords: 1000 } })
})
afterAll(() => database[Symbol.asyncDispose]())

const random = randomOf(1868)
const pick = <T>(...options: readonly T[]): T => options[Math.floor(random() * options.length)] as T
const several = <T>(most: number, make: () => T): T[] =>
  Array.from({ length: 1 + Math.floor(random() * most) }, make)
const sometimes = <T extends object>(given: T): T | Record<string, never> => (random() < 0.5 ? given : {})

const id = () => pick('a', 'b', 'B', 'c1', 'c10', 'é', 'z', 'Z', '_', '1', '10', '2')
const number = () => pick(0, 1, 2, -1.5, 10, 2.5, 1e6)
const text = () => pick('', 'a', 'ab', 'b', 'B', 'Ä', 'z z', '10', '2', '_')
const scalar = (): unknown => pick<() => unknown>(number, text, () => pick<unknown>(null, true, false))()
const small = (): unknown =>
  pick<() => unknown>(
    scalar,
    scalar,
    () => several(3, scalar),
    () => ({ x: scalar(), ...sometimes({ y: pick<unknown>(1, [1, 2], { z: 1 }) }) }),
    () => [{ x: number() }, { x: text() }],
  )()

const property = () => pick('n', 't', 'l', 'o', 'v')
const path = () => pick('n', 't', 'l', 'o', 'v', 'v', 'o.x', 'l.x', 'v.x', 'v.0', 'nope')
const record = () => ({
  ...sometimes({ n: number() }),
  ...sometimes({ t: text() }),
  ...sometimes({ l: several(3, scalar) }),
  ...sometimes({ o: { x: scalar() } }),
  ...sometimes({ v: small() }),
})

const condition = (): unknown =>
  pick<() => unknown>(
    scalar,
    small,
    () => ({ [pick('$eq', '$ne')]: small() }),
    () => ({ [pick('$gt', '$gte', '$lt', '$lte')]: pick<() => unknown>(number, text)() }),
    () => ({ $gte: number(), $lt: number() }),
    () => ({ [pick('$in', '$nin', '$all')]: several(3, scalar) }),
    () => ({ $exists: pick(true, false) }),
    () => ({ $size: pick(0, 1, 2) }),
    () => ({ $regex: pick('^a', 'b$', '[0-9]') }),
    () => ({ $elemMatch: pick<unknown>({ x: { $gt: 0 } }, { $gt: 0 }) }),
    () => ({ $not: { $gt: number() } }),
  )()
function query(depth = 0): Record<string, unknown> {
  if (depth < 2 && random() < 0.2)
    return { [pick('$and', '$or', '$nor')]: several(2, () => query(depth + 1)) }
  return Object.fromEntries(
    several(2, () => pick<[string, unknown]>([path(), condition()], ['id', id()], ['t', text()])),
  )
}

const change = () => ({
  ...sometimes({ [property()]: small() }),
  ...Object.fromEntries(
    several(2, () =>
      pick<() => [string, unknown]>(
        () => ['$set', { [pick('o.x', 'v', 'o.w.q', 'l.0', 't')]: small() }],
        () => ['$unset', { [path()]: true }],
        () => ['$inc', { [pick('n', 'o.x')]: number() }],
        () => [
          '$push',
          { [pick('l', 'v')]: pick<() => unknown>(scalar, () => ({ $each: several(2, scalar) }))() },
        ],
        () => ['$addToSet', { [pick('l', 'v')]: small() }],
        () => [
          '$pull',
          {
            [pick('l', 'v')]: pick<() => unknown>(
              scalar,
              () => ({ $gt: 1 }),
              () => ({ x: 1 }),
            )(),
          },
        ],
      )(),
    ),
  ),
})

const sort = () => Object.fromEntries(several(2, () => [pick(path(), 'id'), pick(1, -1)]))
const opts = () => ({
  ...sometimes({ sort: sort() }),
  ...sometimes({ limit: pick(1, 2, 5) }),
  ...sometimes(pick<object>({ page: pick(1, 2) }, { skip: pick(0, 1, 3) })),
  ...sometimes({ fields: pick<unknown>(['n', 'o.x'], { v: 0, t: 0 }, { l: 1 }) }),
})
const step = () => ({
  type: pick('sum', 'avg', 'count', 'min', 'max'),
  inputField: path(),
  outputField: pick('first', 'second', 'third'),
})

type Call = readonly [name: string, parameters: Record<string, unknown>]
const named = () => ({ id: id(), ...record() })
const conflict = () => pick(['id'], ['t'], ['t', 'n'])

const call = (): Call =>
  pick<() => Call>(
    () => ['create', { data: named() }],
    () => ['create', { data: named() }],
    () => ['bulkCreate', { data: several(4, named) }],
    () => ['updateOne', { query: query(), data: change() }],
    () => ['updateMany', { query: query(), data: change() }],
    () => [
      'upsert',
      { data: named(), onConflictFields: conflict(), ...sometimes({ onInsertValues: record() }) },
    ],
    () => ['bulkUpsert', { data: several(3, named), onConflictFields: conflict() }],
    () => ['deleteOne', { query: query() }],
    () => ['deleteMany', { query: { ...query(), ...query() } }],
    () => ['findOne', { query: query(), opts: opts() }],
    () => ['findMany', { ...sometimes({ query: query() }), opts: opts() }],
    () => ['findMany', { query: query(), opts: { sort: sort() } }],
    () => ['findAndCount', { query: query(), opts: opts() }],
    () => ['count', { query: query() }],
    () => [
      'distinct',
      {
        ...sometimes({ query: query() }),
        field: path(),
        opts: { ...sometimes({ count: true }), ...sometimes({ sort: -1 }) },
      },
    ],
    () => [
      'aggregate',
      {
        ...sometimes({ query: query() }),
        groupBy: pick<string[]>([], [path()], ['t', path()]),
        steps: several(3, step),
      },
    ],
    () => [
      'updateSchema',
      {
        ...sometimes({ indexes: [{ properties: [property()] }, { properties: ['t', 'n'] }] }),
        ...sometimes({ uniques: [{ properties: [pick('t', 'n')] }] }),
      },
    ],
    () => ['inferCollectionSchema', {}],
    () => ['getCollectionSchemas', {}],
  )()

const DATES = new Set(['createdAt', 'updatedAt'])

/** What is answered by one, as the other is to answer it: at whatever time. */
const expected = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(expected)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    DATES.has(key) && typeof item === 'string' ? { $any: 'date' } : expected(item),
  ])
  return Object.fromEntries(entries)
}

test(`${PROGRAMS} random programs answer in tests, over memory, what they answer over PostgreSQL`, async () => {
  let answered = 0
  const different: object[] = []
  for (let count = 0; count < PROGRAMS; count += 1) {
    const collection = `things ${count}`
    const calls = Array.from({ length: CALLS }, call)
    const steps = calls.map(([name, parameters], at) => ({
      run: {
        module: 'collections',
        function: name,
        parameters: {
          collection,
          ...parameters,
          ...(name === 'getCollectionSchemas' ? { collections: [collection] } : {}),
        },
        onError: 'continue',
        output: `out.c${at}`,
      },
    }))
    for (const { run } of steps)
      if (run.function === 'getCollectionSchemas') Reflect.deleteProperty(run.parameters, 'collection')
    const main = { do: steps, output: '{{out}}' }
    const outcome = await runMain(compiled({ main }, {}, stores))
    expect(outcome.failed, JSON.stringify(calls)).toBeUndefined()
    const output = expected(outcome.output) as Record<string, { error?: string }>
    answered += Object.values(output).filter((one) => one?.error === undefined).length
    const { results } = await runYaml(JSON.stringify({ automation: 'main', expect: { output } }), { main })
    const [first] = results[0]?.differences ?? []
    if (first === undefined) continue
    // What follows from it says nothing more.
    const [, number = '-1'] = /^output\.c(\d+)/.exec(first.path) ?? []
    const { path: at, expected: inPostgres, got: inMemory } = first
    different.push({ program: count, at, call: JSON.stringify(calls[Number(number)]), inPostgres, inMemory })
  }
  expect(different.slice(0, 5)).toEqual([])
  expect(answered).toBeGreaterThan((PROGRAMS * CALLS) / 2)
}, 240_000)
