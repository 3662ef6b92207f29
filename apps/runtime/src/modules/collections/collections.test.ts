import { checkModuleCall } from '@platform/contracts'
import { type Database, openDatabase, sql } from '@platform/database'
import { matchesFilter } from '@platform/expressions'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testModules } from '../../../test/modules.ts'
import { compiled, runMain, runsDatabase } from '../../../test/testing.ts'
import type { ModuleStores } from '../module.ts'

let database: TestDatabase
let stores: ModuleStores
beforeAll(async () => {
  database = await runsDatabase()
  stores = testModules(database)
})
afterAll(() => database[Symbol.asyncDispose]())

type Call = readonly [name: string, parameters: Record<string, unknown>]

let made = 0
/** A collection that no other test has. */
const fresh = () => {
  made += 1
  return `things ${made}`
}

/** What the last of some calls answers, or the sentence it fails with. */
async function call(
  calls: readonly Call[],
  using = stores,
  workspaceId = 'w0123456789abcde',
  order = {},
): Promise<unknown> {
  const steps = calls.map(([name]) => ({
    run: { module: 'collections', function: name, output: 'out' },
  }))
  const written = steps.map(({ run }, at) => ({ run: { ...run, parameters: `{{given[${at}]}}` } }))
  const workspace = { ...compiled({ main: { do: written, output: '{{out}}' } }, {}, using), id: workspaceId }
  const outcome = await runMain(workspace, { given: calls.map(([, parameters]) => parameters) }, order)
  return outcome.failed === undefined ? outcome.output : outcome.failed.failure.message
}

const people = [
  { id: 'ada', name: 'Ada', age: 36, tags: ['vip', 'math'], city: { name: 'London' }, born: '1815-12-10' },
  { id: 'bob', name: 'Bob', age: 20, tags: [], city: null, scores: [{ a: 1 }, { a: 5 }] },
  { id: 'eve', name: 'Eve', age: null, tags: ['vip'], admin: true, scores: [{ a: 3, b: 1 }] },
  {
    id: 'zoë',
    name: 'Zoë 😀',
    age: -3.5,
    tags: 'vip',
    city: { name: 'Paris' },
    admin: false,
    list: [[1], 2],
  },
]

async function withPeople(schema: Record<string, unknown> = {}): Promise<string> {
  const collection = fresh()
  if (Object.keys(schema).length > 0) await call([['updateSchema', { collection, ...schema }]])
  expect(await call([['bulkCreate', { collection, data: people }]])).toHaveLength(people.length)
  return collection
}

const idsOf = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer.map((one: { id: string }) => one.id) : answer

const QUERIES: Record<string, unknown>[] = [
  {},
  { name: 'Ada' },
  { id: 'bob' },
  { id: { $in: ['bob', 'eve', 'none'] } },
  { age: 36 },
  { age: '36' },
  { age: null },
  { none: null },
  { age: { $gt: 0 } },
  { age: { $gte: -3.5, $lt: 36 } },
  { age: { $lte: 20 } },
  { age: { $ne: 36 } },
  { age: { $nin: [36, null] } },
  { age: { $in: [20, null] } },
  { age: { $in: [] } },
  { name: { $gt: 'B', $lt: 'F' } },
  { name: { $gte: 'Zoë 😀' } },
  { name: { $lt: '\uE000' } },
  { tags: 'vip' },
  { tags: { $in: ['math', 'none'] } },
  { tags: { $all: ['vip', 'math'] } },
  { tags: { $size: 0 } },
  { tags: { $exists: true }, admin: { $exists: false } },
  { tags: ['vip'] },
  { tags: [] },
  { 'city.name': 'Paris' },
  { 'city.name': null },
  { city: { name: 'Paris' } },
  { 'scores.a': { $gt: 3 } },
  { 'scores.a': 3 },
  { 'scores.0.a': 1 },
  { 'scores.b': { $exists: false } },
  { 'tags.length': 2 },
  { scores: { $elemMatch: { a: { $gt: 1 }, b: 1 } } },
  { admin: true },
  { admin: { $ne: true } },
  { admin: { $gt: false } },
  { list: 1 },
  { list: 2 },
  { list: [1] },
  { name: { $regex: '^.o', $options: 'i' } },
  { name: { $not: { $regex: 'o' } } },
  { age: { $not: { $gt: 20 } } },
  { age: { $mod: [2, 0] } },
  { age: { $type: 'number' } },
  { $or: [{ name: 'Ada' }, { tags: { $size: 0 } }] },
  { $or: [{ name: 'Ada' }, { age: 20 }] },
  { $and: [{ name: 'Ada' }, { age: 20 }] },
  { $nor: [{ name: 'Ada' }, { admin: true }] },
  { $not: { name: { $regex: 'a' } } },
  { $or: [] },
  { born: { $gte: '1815-01-01' } },
  { name: "x' or '1'='1" },
  { "a'b": { $ne: 1 } },
  { 'na"me': 1 },
  { name: { $gt: 5 } },
]

const SCHEMAS: Record<string, unknown>[] = [
  {},
  {
    properties: { name: { type: 'string' }, age: { type: 'number' } },
    indexes: [{ properties: ['age'] }, ['tags'], 'admin', { properties: ['name', 'age'] }, 'list'],
    uniques: [{ properties: ['name'] }],
  },
]

describe('a query', () => {
  test.each(SCHEMAS)('finds what jsonmatch says, with the schema %j', async (schema) => {
    const collection = await withPeople(schema)
    for (const query of QUERIES) {
      const fits = people.filter((one) => matchesFilter({ ...one, createdAt: '', updatedAt: '' }, query))
      const wanted = fits.map(({ id }) => id)
      const shown = JSON.stringify(query)
      const found = (await call([['findMany', { collection, query }]])) as unknown
      expect(idsOf(found), shown).toEqual(wanted)
      const few = await call([['findMany', { collection, query, opts: { limit: 10 } }]])
      expect(idsOf(few), shown).toEqual(wanted)
      expect(await call([['count', { collection, query }]]), shown).toBe(wanted.length)
    }
  })

  test('that does not exist is told, as jsonmatch does', async () => {
    const collection = await withPeople()
    expect(await call([['findOne', { collection, query: { a: { $near: 1 } } }]])).toContain(
      '"$near" does not exist',
    )
    expect(await call([['findMany', { collection: fresh(), query: { a: 1 } }]])).toEqual([])
  })

  test('sorts, cuts into pages and shows what is asked for', async () => {
    const collection = await withPeople()
    const find = (opts: Record<string, unknown>, query = {}) =>
      call([['findMany', { collection, query, opts }]])
    expect(idsOf(await find({ sort: { age: -1 } }))).toEqual(['ada', 'bob', 'zoë', 'eve'])
    expect(idsOf(await find({ sort: { 'city.name': 1, name: -1 } }))).toEqual(['eve', 'bob', 'ada', 'zoë'])
    expect(idsOf(await find({ sort: { id: 1 }, limit: 2, page: 2 }))).toEqual(['eve', 'zoë'])
    expect(idsOf(await find({ skip: 1, limit: '1' }, { name: { $regex: '.' } }))).toEqual(['bob'])
    expect(await find({ limit: 1, fields: ['city.name'] })).toEqual([{ id: 'ada', city: { name: 'London' } }])
    expect(await find({ limit: 1, fields: { name: 1 } })).toEqual([{ id: 'ada', name: 'Ada' }])
    expect(
      await call([['findAndCount', { collection, query: { tags: 'vip' }, opts: { limit: 1 } }]]),
    ).toMatchObject({
      items: [{ id: 'ada' }],
      count: 3,
    })
  })

  test('groups and counts', async () => {
    const collection = await withPeople()
    expect(await call([['distinct', { collection, field: 'tags' }]])).toEqual(['math', 'vip'])
    expect(
      await call([['distinct', { collection, field: 'tags', opts: { count: true, sort: -1 } }]]),
    ).toEqual([
      { value: 'vip', count: 3 },
      { value: 'math', count: 1 },
    ])
    const steps = ['sum', 'avg', 'count', 'min', 'max'].map((type) => ({
      type,
      inputField: 'age',
      outputField: type,
    }))
    expect(await call([['aggregate', { collection, query: { age: { $gt: 0 } }, steps }]])).toEqual([
      { sum: 56, avg: 28, count: 2, min: 20, max: 36 },
    ])
    const names = [
      { type: 'min', inputField: 'name', outputField: 'first' },
      { type: 'count', outputField: 'n' },
    ]
    expect(await call([['aggregate', { collection, groupBy: 'admin', steps: names }]])).toEqual([
      { admin: false, first: 'Zoë 😀', n: 1 },
      { admin: true, first: 'Eve', n: 1 },
      { admin: null, first: 'Ada', n: 2 },
    ])
  })
})

describe('what is written', () => {
  test('is a record with id and times, as it can be kept', async () => {
    const collection = fresh()
    const record = await call([
      [
        'create',
        { collection, data: { a: 1, at: { ts: 0, iso: '1970-01-01T00:00:00.000Z' }, nul: 'a\u0000b' } },
      ],
    ])
    const time = expect.stringMatching(/^20\d\d-.+Z$/)
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      a: 1,
      at: '1970-01-01T00:00:00.000Z',
      nul: 'ab',
      createdAt: time,
      updatedAt: time,
    })
    expect(await call([['create', { collection, data: { 'a.b': 1 } }]])).toContain(
      'can’t have the property "a.b"',
    )
    expect(await call([['create', { collection, data: { id: '' } }]])).toContain('The id of a record must be')
    const twice = { collection, data: { id: 'one' } }
    expect(
      await call([
        ['create', twice],
        ['create', twice],
      ]),
    ).toContain('There is a record with the same id')
    expect(await call([['create', { collection, data: { text: 'x'.repeat(1_000_001) } }]])).toContain(
      'more than 1000000 characters',
    )
  })

  test.each([
    [
      { age: 37, $inc: { visits: 2 }, $push: { tags: 'new' } },
      { age: 37, visits: 2, tags: ['vip', 'math', 'new'] },
    ],
    [
      { $set: { 'city.name': 'Bath', 'deep.er': 1 }, $unset: { born: 1 } },
      { city: { name: 'Bath' }, deep: { er: 1 } },
    ],
    [{ $addToSet: { tags: { $each: ['vip', 'x', 'x'] } } }, { tags: ['vip', 'math', 'x'] }],
    [{ $pull: { tags: { $in: ['vip'] } } }, { tags: ['math'] }],
    [{ $set: { 'tags.1': 'logic' } }, { tags: ['vip', 'logic'] }],
    [
      { id: 'other', createdAt: 'x' },
      { id: 'ada', createdAt: expect.stringMatching(/^20/) },
    ],
    [{ $inc: { name: 1 } }, 'The property "name" can’t be changed so: $inc adds a number to a number.'],
    [{ $mul: { age: 2 } }, 'There is no change "$mul": use $set, $unset, $inc, $push, $addToSet, $pull.'],
    [
      { $set: { 'tags.99': 1 } },
      'The property "tags.99" can’t be changed so: a list has only items that follow one another.',
    ],
    [{ $set: { '__proto__.a': 1 } }, '"__proto__.a" is no property that can be changed.'],
  ])('is changed by %j', async (data, result) => {
    const collection = await withPeople()
    const answer = await call([['updateOne', { collection, query: { id: 'ada' }, data }]])
    expect(answer).toEqual(typeof result === 'string' ? result : expect.objectContaining(result))
    if (typeof result !== 'string')
      expect(await call([['findOne', { collection, query: { id: 'ada' } }]])).toEqual(answer)
  })

  test('is changed and deleted where it fits, and never by a query that says nothing', async () => {
    const collection = await withPeople()
    const query = { name: { $regex: '^[AB]' } }
    expect(await call([['updateMany', { collection, query, data: { seen: true } }]])).toEqual({ count: 2 })
    expect(await call([['count', { collection, query: { seen: true } }]])).toBe(2)
    expect(await call([['updateOne', { collection, query: { id: 'none' }, data: {} }]])).toBeNull()
    expect(await call([['deleteMany', { collection, query: {} }]])).toContain('say so with allowMatchAll')
    expect(await call([['deleteMany', { collection, query: { name: undefined } }]])).toContain(
      'asks for "name" and gives no value',
    )
    expect(await call([['deleteOne', { collection, query: { seen: true } }]])).toEqual({ count: 1 })
    expect(await call([['deleteMany', { collection, query }]])).toEqual({ count: 1 })
    expect(await call([['deleteMany', { collection, allowMatchAll: true }]])).toEqual({ count: 2 })
  })

  test('is added once by upserts side by side, and all or none in bulk', async () => {
    const collection = fresh()
    const upsert = (n: number) => ({
      collection,
      data: { key: 'a', n },
      onConflictFields: ['key'],
      onInsertValues: { first: n },
    })
    await call([['create', { collection, data: { key: 'b' } }]])
    await Promise.all(Array.from({ length: 10 }, (_, n) => call([['upsert', upsert(n)]])))
    const found = (await call([['findMany', { collection, query: { key: 'a' } }]])) as { first: number }[]
    expect(found).toHaveLength(1)
    const bulk = { collection, data: [{ key: 'a', n: 100 }, { key: 'c' }], onConflictFields: ['key'] }
    expect(await call([['bulkUpsert', bulk]])).toMatchObject([
      { n: 100, first: found[0]?.first },
      { key: 'c' },
    ])
    expect(await call([['bulkCreate', { collection, data: [{ id: 'x' }, { id: 'x' }] }]])).toContain(
      'the same id',
    )
    expect(await call([['upsert', { ...bulk, data: { n: 1 } }]])).toContain('must have a value')
    expect(await call([['count', { collection }]])).toBe(3)
  })

  test('in a run that is done again is written once, and answered as it was', async () => {
    const collection = fresh()
    const segments = [
      { try: 0, segment: 0, upto: 0, reads: 0, place: 0, entries: JSON.stringify([['seed', 'of the test']]) },
    ]
    const again = { repeatable: true, segments, runId: '01900000-0000-7000-8000-00000000aaaa' }
    const calls: Call[] = [
      ['create', { collection, data: { n: 1 } }],
      ['updateOne', { collection, data: { $inc: { n: 1 } } }],
    ]
    const results = await Promise.all([
      call(calls, stores, undefined, again),
      call(calls, stores, undefined, again),
    ])
    results.push(await call(calls, stores, undefined, again))
    expect(results[0]).toMatchObject({ n: 2 })
    expect(results).toEqual([results[0], results[0], results[0]])
    expect(await call([['findMany', { collection }]])).toEqual([results[0]])
  })

  test('in a run that is never done again is kept alone, also where the run can be looked at', async () => {
    const collection = fresh()
    const once = { runId: '01900000-0000-7000-8000-00000000bbbb', recordsAtMost: 10_000 }
    const calls: Call[] = [
      ['create', { collection, data: { n: 1 } }],
      ['bulkCreate', { collection, data: [{ n: 2 }, { n: 3 }] }],
      ['updateOne', { collection, query: { n: 1 }, data: { $inc: { n: 1 } } }],
    ]
    expect(await call(calls, stores, undefined, once)).toMatchObject({ n: 2 })
    expect(await database.many(sql`select from runtime.module_effects where run_id = ${once.runId}`)).toEqual(
      [],
    )
  })
})

describe('a schema', () => {
  test('refuses what does not fit, also what is there already', async () => {
    const collection = await withPeople()
    const update = (change: Record<string, unknown>) => call([['updateSchema', { collection, ...change }]])
    expect(await update({ properties: { age: { type: 'integer' } } })).toBe(
      `The property "age" of a record of "${collection}" must be of type integer.`,
    )
    expect(await update({ properties: { admin: { type: 'boolean', nullable: false } } })).toContain(
      '"admin" of a record of',
    )
    expect(await update({ uniques: ['tags'] })).toContain('must be unique: a list can’t be.')
    expect(await update({ properties: { name: { type: 'string' } }, uniques: ['name'] })).toMatchObject({
      uniques: [{ properties: ['name'] }],
    })
    expect(await call([['create', { collection, data: { name: 'Ada' } }]])).toContain(
      'a record with the same name',
    )
    expect(await call([['create', { collection, data: { name: 5 } }]])).toContain('must be of type string')
    expect(await update({ uniques: [] })).toMatchObject({
      properties: { name: { type: 'string' } },
      uniques: [],
    })
    expect(await call([['create', { collection, data: { name: 'Ada' } }]])).toMatchObject({ name: 'Ada' })
    expect(await update({ uniques: ['name'] })).toContain('a record with the same name')
  })

  test.each([
    ['date', ['2026-01-31'], ['2026-13-01', 1]],
    ['time', ['10:00', '10:00:01Z'], ['10']],
    ['datetime', ['2026-01-31T10:00:00Z'], ['2026-01-31']],
    ['integer', [1], [1.5, '1']],
    ['decimal', ['1.50', 2], ['a']],
    ['uint8array', ['AAEC'], ['?']],
    ['array', [[1]], ['a']],
    ['enum', ['a'], ['c']],
    ['enumArray', [['a', 'b']], [['c']]],
    ['json', [{ a: 1 }, [1], 'x'], []],
    ['boolean', [true], ['true']],
    ['text', ['x'], [1]],
    ['double', [1.5], ['x']],
  ])('knows %s', async (type, good, bad) => {
    const collection = fresh()
    const values = type.startsWith('enum') ? { enum: ['a', 'b'] } : {}
    await call([['updateSchema', { collection, properties: { v: { type, ...values } } }]])
    for (const v of good) expect(await call([['create', { collection, data: { v } }]])).toMatchObject({ v })
    for (const v of bad)
      expect(await call([['create', { collection, data: { v } }]])).toContain(`must be of type ${type}`)
  })

  /** What is said to whoever saves it. */
  const saidOf = (parameters: object): string =>
    checkModuleCall({ module: 'collections', function: 'updateSchema', parameters })
      .map(
        ({ path, message, isIgnored }) => `${path.join('.')} ${message}${isIgnored ? ' (passed over)' : ''}`,
      )
      .join('\n')

  test.each([
    [
      { number: { type: 'string', required: true } },
      'parameters.properties.number can’t have "required", only type, nullable, enum, description: ' +
        '`nullable: false` says that ' +
        'each record has the property (passed over)',
    ],
    [{ e: { type: 'enum', values: ['a'] } }, 'can’t have "values"', 'the values of an enum stand in `enum`'],
    [{ e: { type: 'enum', items: ['a'] } }, 'the values of an enum stand in `enum`'],
    [
      { a: { type: 'string', unique: true, index: true } },
      'can’t have "unique", "index"',
      'uniques and indexes stand in `uniques` and `indexes` beside `properties`',
    ],
    [
      { a: { type: 'string', colour: 1 } },
      'can’t have "colour", only type, nullable, enum, description (passed over)',
    ],
    [{ a: { type: 'string', enum: ['b'] } }, 'properties.a names values in enum, which only the types enum'],
  ])(
    'passes over what means nothing in %j, and says so to who saves it',
    async (properties, ...sentences) => {
      const collection = fresh()
      for (const sentence of sentences) expect(saidOf({ collection, properties })).toContain(sentence)
      const [[name = '', { type }] = ['', { type: '' }]] = Object.entries(properties)
      expect(await call([['updateSchema', { collection, properties }]])).toMatchObject({
        properties: { [name]: { type } },
      })
      const [shown] = (await call([['getCollectionSchemas', { collections: [collection] }]])) as object[]
      expect(shown).toMatchObject({ properties: { [name]: { type } }, indexes: [], uniques: [] })
    },
  )

  test('refuses names that no property can have', async () => {
    const properties = { 'a.b': { type: 'string' } }
    expect(await call([['updateSchema', { collection: fresh(), properties }]])).toContain(
      'properties.a.b must be 1–100 characters without a dot',
    )
  })

  test('passes over what means nothing beside the names of an index', async () => {
    const update = (one: unknown) => call([['updateSchema', { collection: fresh(), indexes: [one] }]])
    const unique = { properties: ['a'], unique: true }
    expect(saidOf({ collection: 'c', indexes: [unique] })).toContain(
      'indexes.0 can’t have "unique", only properties: what is to be unique stands in `uniques`',
    )
    expect(await update(unique)).toMatchObject({ indexes: [{ properties: ['a'] }], uniques: [] })
    expect(await update({ fields: ['a'] })).toContain('indexes.0.properties')
    const indexes = [{ properties: ['a'] }, { properties: ['a', 'b'] }, { properties: ['c'] }]
    expect(
      await call([
        ['updateSchema', { collection: fresh(), indexes: ['a', ['a', 'b'], { properties: ['c'] }] }],
      ]),
    ).toMatchObject({ indexes })
  })

  test('that was kept with more than it means goes on, and is written as it is read', async () => {
    const collection = await withPeople({ properties: { name: { type: 'string' }, age: { type: 'number' } } })
    const old = {
      properties: {
        name: { type: 'string', required: true, enum: ['x'] },
        age: { type: 'number', nullable: true },
      },
      indexes: [],
      uniques: [],
    }
    await database.many(sql`
      update runtime.collections set schema = ${JSON.stringify(old)}, version = version + 1 where name = ${collection}`)
    expect(await call([['create', { collection, data: { id: 'new' } }]])).toMatchObject({ id: 'new' })
    const [shown] = (await call([['getCollectionSchemas', { collections: [collection] }]])) as {
      properties: object
    }[]
    const properties = { name: { type: 'string' }, age: { type: 'number', nullable: true } }
    expect(shown?.properties).toEqual(properties)
    expect(await call([['updateSchema', { ...shown }]])).toMatchObject({ properties })
  })

  test('is told, inferred and forgotten', async () => {
    const collection = await withPeople({ indexes: ['age'] })
    const names = { collections: [collection] }
    expect(await call([['getCollectionSchemas', names]])).toEqual([
      { collection, properties: {}, indexes: [{ properties: ['age'] }], uniques: [] },
    ])
    expect(await call([['getCollectionStats', names]])).toEqual([
      { collection, records: 4, bytes: expect.any(Number) },
    ])
    expect(await call([['inferCollectionSchema', { collection }]])).toMatchObject({
      properties: {
        name: { type: 'string', nullable: false },
        born: { type: 'date' },
        age: { type: 'number' },
        tags: { type: 'json' },
      },
    })
    expect(await call([['listCollections', {}]])).toContainEqual(expect.objectContaining({ collection }))
    expect(await call([['deleteCollections', names]])).toEqual({ count: 1 })
    expect(await call([['findMany', { collection }]])).toEqual([])
    expect(
      await call([
        ['create', { collection, data: { n: 1 } }],
        ['count', { collection }],
      ]),
    ).toBe(1)
  })

  test('that another process has changed is noticed by reads and writes', async () => {
    const other = testModules(database)
    const collection = await withPeople()
    const query = { age: 20 }
    expect(await call([['count', { collection, query }]], other)).toBe(1)
    await call([['updateSchema', { collection, indexes: ['name', 'age'] }]])
    expect(await call([['create', { collection, data: { id: 'new', age: 20 } }]], other)).toMatchObject({
      id: 'new',
    })
    for (const one of [stores, other]) expect(await call([['count', { collection, query }]], one)).toBe(2)
    await call([
      ['updateSchema', { collection, indexes: ['age'] }],
      ['updateSchema', { collection, indexes: ['age', 'tags'] }],
    ])
    expect(idsOf(await call([['findMany', { collection, query: { tags: 'vip' } }]], other))).toEqual([
      'ada',
      'eve',
      'zoë',
    ])
  })
})

test('records are found in the order in which they were added, where none is asked for', async () => {
  const collection = fresh()
  const data = Array.from({ length: 200 }, (_, place) => ({ place }))
  await call([['bulkCreate', { collection, data }]])
  expect(await call([['findMany', { collection, opts: { limit: 200 } }]])).toMatchObject(data)
})

describe('workspaces', () => {
  test('see their own records, and the database keeps them apart by itself', async () => {
    const collection = await withPeople()
    const theirs = 'wotherotherother'
    expect(await call([['findMany', { collection }]], stores, theirs)).toEqual([])
    await call([['create', { collection, data: { id: 'theirs' } }]], stores, theirs)
    expect(await call([['count', { collection }]])).toBe(4)
    expect(idsOf(await call([['findMany', { collection }]], stores, theirs))).toEqual(['theirs'])
    const enter = sql`
      select set_config('platform.workspace', ${theirs}, true), set_config('role', 'platform_collections', true)`
    const seen = await database.transaction(async (tx) => {
      await tx.many(enter)
      return await tx.many<{ workspace_id: string }>(sql`select distinct workspace_id from runtime.records`)
    })
    expect(seen).toEqual([{ workspace_id: theirs }])
    const viewed = sql`select from runtime.records_of_workspace`
    expect(await database.many(viewed)).toEqual([])
    const alien = sql`insert into runtime.records (collection_id, id, workspace_id, data, size)
      values (gen_random_uuid(), 'a', 'w0123456789abcde', '{}', 2)`
    await expect(
      database.transaction(async (tx) => {
        await tx.many(enter)
        await tx.many(alien)
      }),
    ).rejects.toThrow('row-level security')
    const [role] = await database.many<{ name: string }>(sql`select current_user as name`)
    expect(role?.name).not.toBe('platform_collections')
  })

  test('have so many collections, and a collection so many records', async () => {
    await using second: Database = await openDatabase(database.url, { allowWeakDurability: true })
    const small = testModules(second, { collections: { maxCollections: 1, maxRecords: 2 } })
    const workspaceId = 'wsmallsmallsmall'
    const add = (collection: string, n: number): Call => [
      'bulkCreate',
      { collection, data: Array.from({ length: n }, (_, a) => ({ a })) },
    ]
    expect(await call([add('one', 3)], small, workspaceId)).toContain('has 2 records already')
    expect(await call([add('one', 2)], small, workspaceId)).toHaveLength(2)
    expect(await call([add('two', 1)], small, workspaceId)).toContain('has 1 collections already')
  })
})
