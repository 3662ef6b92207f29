import type { Options } from '@platform/expressions'
import { Failure } from '@platform/kernel'
import { type Data, shownFields } from '../modules/collections/record.ts'
import { inferProperties, shownSchema } from '../modules/collections/schemas.ts'
import { keptAnswer } from '../modules/kept-answer.ts'
import type { FunctionsOf, ModuleCall } from '../modules/module.ts'
import { type Query, sorted, type TestCollections } from './test-collections.ts'
import { distinct, grouped } from './test-groups.ts'

type Functions = FunctionsOf<'collections'>

/** The functions of the module `collections` over records in memory, as those over the database are. */
export const testCollectionFunctions = (store: TestCollections): Functions => ({
  ...reading(store),
  ...writing(store),
  ...aboutSchemas(store),
})

const does = <T>(call: ModuleCall, work: (options: Options) => T): Promise<T> =>
  keptAnswer(call, async () => work(call.frame.run.options))

type Reading = 'findOne' | 'findMany' | 'findAndCount' | 'count' | 'distinct' | 'aggregate'

function reading(store: TestCollections): Pick<Functions, Reading> {
  const page = (name: string, query: Query | undefined, opts: PageOptions = {}, options: Options) => {
    const limit = opts.limit ?? LIMIT
    const offset = (opts.skip ?? 0) + ((opts.page ?? 1) - 1) * limit
    const found = sorted(store.list(name, query, options), opts.sort).slice(offset, offset + limit)
    return found.map((one) => structuredClone(shownFields(one, opts.fields)))
  }
  return {
    findOne: ({ collection, query, opts }, call) =>
      does(call, (options) => page(collection, query, { ...opts, limit: 1 }, options)[0] ?? null),
    findMany: ({ collection, query, opts }, call) =>
      does(call, (options) => page(collection, query, opts, options)),
    findAndCount: ({ collection, query, opts }, call) =>
      does(call, (options) => ({
        items: page(collection, query, opts, options),
        count: store.list(collection, query, options).length,
      })),
    count: ({ collection, query }, call) =>
      does(call, (options) => store.list(collection, query, options).length),
    distinct: ({ collection, query, field, opts = {} }, call) =>
      does(call, (options) => distinct(store.list(collection, query, options), field, opts)),
    aggregate: ({ collection, query, groupBy = [], steps }, call) =>
      does(call, (options) => grouped(store.list(collection, query, options), groupBy, steps)),
  }
}

type Writes =
  | 'create'
  | 'bulkCreate'
  | 'updateOne'
  | 'updateMany'
  | 'upsert'
  | 'bulkUpsert'
  | 'deleteOne'
  | 'deleteMany'

function writing(store: TestCollections): Pick<Functions, Writes> {
  const writes = <T>(call: ModuleCall, name: string, work: (options: Options) => T): Promise<T> =>
    does(call, (options) => store.change(name, () => work(options)))
  const fitting = (name: string, query: Query | undefined, options: Options) => {
    requireValues(query)
    return store.list(name, query, options)
  }
  return {
    create: ({ collection, data }, call) =>
      writes(call, collection, () => store.insert(collection, [data])[0]),
    async bulkCreate({ collection, data }, call) {
      if (data.length === 0) return []
      return await writes(call, collection, () => store.insert(collection, data))
    },
    updateOne: ({ collection, query, data }, call) =>
      writes(call, collection, (options) => {
        const before = fitting(collection, query, options).slice(0, 1)
        return store.update(collection, before, data, options)[0] ?? null
      }),
    updateMany: ({ collection, query, data }, call) =>
      writes(call, collection, (options) => {
        const before = fitting(collection, query, options)
        return { count: store.update(collection, before, data, options).length }
      }),
    upsert: ({ collection, data, ...how }, call) =>
      writes(call, collection, (options) => upsert(store, collection, { data, ...how }, options)),
    async bulkUpsert({ collection, data, ...how }, call) {
      if (data.length === 0) return []
      return await writes(call, collection, (options) =>
        data.map((one) => upsert(store, collection, { data: one, ...how }, options)),
      )
    },
    deleteOne: ({ collection, query }, call) =>
      writes(call, collection, (options) => ({
        count: store.remove(collection, fitting(collection, query, options).slice(0, 1)),
      })),
    deleteMany({ collection, query, allowMatchAll, overrideSecurity }, call) {
      if (Object.keys(query ?? {}).length === 0 && allowMatchAll !== true && overrideSecurity !== true)
        throw new Failure(
          'InvalidArgumentsError',
          'deleteMany without a query deletes all records: say so with allowMatchAll.',
        )
      return writes(call, collection, (options) => ({
        count: store.remove(collection, fitting(collection, query, options)),
      }))
    },
  }
}

interface Upsert {
  readonly data: Data
  readonly onConflictFields: readonly string[]
  readonly onInsertValues?: Data | undefined
}

function upsert(
  store: TestCollections,
  name: string,
  { data, onConflictFields, onInsertValues }: Upsert,
  options: Options,
): Data {
  const query = Object.fromEntries(onConflictFields.map((field) => [field, { $eq: data[field] ?? null }]))
  if (Object.values(query).some(({ $eq }) => $eq === null))
    throw new Failure(
      'InvalidArgumentsError',
      `Each of ${onConflictFields.join(', ')} must have a value to tell records apart.`,
    )
  const { id: _, ...change } = data
  const before = store.list(name, query, options).slice(0, 1)
  const [record = {}] =
    before.length === 0
      ? store.insert(name, [{ ...onInsertValues, ...data }])
      : store.update(name, before, onConflictFields.includes('id') ? change : data, options)
  return record
}

function aboutSchemas(store: TestCollections): Omit<Functions, Reading | Writes> {
  return {
    updateSchema: ({ collection, properties, indexes, uniques }, call) =>
      does(call, () =>
        shownSchema(
          collection,
          store.change(collection, () => store.changeSchema(collection, { properties, indexes, uniques })),
        ),
      ),
    listCollections: (_, call) =>
      does(call, () =>
        named(store, undefined).map(([name, { createdAt, updatedAt }]) => ({
          collection: name,
          createdAt,
          updatedAt,
        })),
      ),
    getCollectionSchemas: ({ collections }, call) =>
      does(call, () => named(store, collections).map(([name, { schema }]) => shownSchema(name, schema))),
    getCollectionStats: ({ collections }, call) =>
      does(call, () =>
        named(store, collections).map(([name, { records }]) => ({
          collection: name,
          records: records.size,
          bytes: [...records.values()].reduce((sum, one) => sum + JSON.stringify(one).length, 0),
        })),
      ),
    inferCollectionSchema: ({ collection }, call) =>
      does(call, (options) => ({
        collection,
        properties: inferProperties(store.list(collection, undefined, options).slice(0, 1000)),
      })),
    deleteCollections: ({ collections }, call) => does(call, () => ({ count: store.drop(collections) })),
  }
}

/** Most records that an answer has where it does not say. */
const LIMIT = 100

interface PageOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>> | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly skip?: number | undefined
  readonly fields?: string[] | Query | undefined
}

/** Those that are there of these, or all; by their names. */
const named = (store: TestCollections, names: readonly string[] | undefined) =>
  store.names().flatMap((name) => {
    const found = store.find(name)
    return found === undefined || names?.includes(name) === false ? [] : [[name, found] as const]
  })

/** What a template left empty would otherwise mean all records without that property. */
function requireValues(query: Query | undefined): void {
  const [empty] = Object.entries(query ?? {}).find(([, value]) => value === undefined) ?? []
  if (empty === undefined) return
  const message = `The query asks for "${empty}" and gives no value: write null where none is meant.`
  throw new Failure('InvalidArgumentsError', message)
}
