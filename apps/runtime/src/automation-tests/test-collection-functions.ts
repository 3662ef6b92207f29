import { derivedUuidv7, Failure } from '@platform/kernel'
import type { OutsideEffect } from '../automations/model.ts'
import { type Data, shownFields } from '../modules/collections/record.ts'
import { inferProperties, shownSchema } from '../modules/collections/schemas.ts'
import { keptAnswer } from '../modules/kept-answer.ts'
import type { FunctionsOf, ModuleCall } from '../modules/module.ts'
import {
  compareValues,
  type Query,
  sorted,
  type TestCollections,
  valueAt,
  type Writer,
} from './test-collections.ts'

type Functions = FunctionsOf<'collections'>

/** The functions of the module `collections` over records in memory, as those over the database are. */
export const testCollectionFunctions = (store: TestCollections): Functions => ({
  ...reading(store),
  ...writing(store),
  ...aboutSchemas(store),
})

const does = <T>(call: ModuleCall, work: (writer: Writer) => T): Promise<T> => {
  const { options } = call.frame.run
  return keptAnswer(call, async (effect: OutsideEffect) => work({ effect, options }))
}

type Reading = 'findOne' | 'findMany' | 'findAndCount' | 'count' | 'distinct' | 'aggregate'

function reading(store: TestCollections): Pick<Functions, Reading> {
  const page = (name: string, query: Query | undefined, opts: PageOptions = {}, { options }: Writer) => {
    const limit = opts.limit ?? LIMIT
    const offset = (opts.skip ?? 0) + ((opts.page ?? 1) - 1) * limit
    const found = sorted(store.list(name, query, options), opts.sort).slice(offset, offset + limit)
    return found.map((one) => structuredClone(shownFields(one, opts.fields)))
  }
  return {
    findOne: ({ collection, query, opts }, call) =>
      does(call, (writer) => page(collection, query, { ...opts, limit: 1 }, writer)[0] ?? null),
    findMany: ({ collection, query, opts }, call) =>
      does(call, (writer) => page(collection, query, opts, writer)),
    findAndCount: ({ collection, query, opts }, call) =>
      does(call, (writer) => ({
        items: page(collection, query, opts, writer),
        count: store.list(collection, query, writer.options).length,
      })),
    count: ({ collection, query }, call) =>
      does(call, ({ options }) => store.list(collection, query, options).length),
    distinct: ({ collection, query, field, opts = {} }, call) =>
      does(call, ({ options }) => distinct(store.list(collection, query, options), field, opts)),
    aggregate: ({ collection, query, groupBy = [], steps }, call) =>
      does(call, ({ options }) => grouped(store.list(collection, query, options), groupBy, steps)),
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
  const fitting = (name: string, query: Query | undefined, { options }: Writer) => {
    requireValues(query)
    return store.list(name, query, options)
  }
  return {
    create: ({ collection, data }, call) =>
      does(call, (writer) => store.insert(collection, [data], writer)[0]),
    bulkCreate: ({ collection, data }, call) =>
      does(call, (writer) => store.insert(collection, data, writer)),
    updateOne: ({ collection, query, data }, call) =>
      does(call, (writer) => {
        const before = fitting(collection, query, writer).slice(0, 1)
        return store.update(collection, before, data, writer)[0] ?? null
      }),
    updateMany: ({ collection, query, data }, call) =>
      does(call, (writer) => ({
        count: store.update(collection, fitting(collection, query, writer), data, writer).length,
      })),
    upsert: ({ collection, data, ...how }, call) =>
      does(call, (writer) => upsert(store, collection, { data, ...how }, writer)),
    bulkUpsert: ({ collection, data, ...how }, call) =>
      does(call, (writer) =>
        data.map((one, index) => {
          const effect = { key: keyOf(writer, index) }
          return upsert(store, collection, { data: one, ...how }, { ...writer, effect })
        }),
      ),
    deleteOne: ({ collection, query }, call) =>
      does(call, (writer) => ({
        count: store.remove(collection, fitting(collection, query, writer).slice(0, 1)),
      })),
    deleteMany({ collection, query, allowMatchAll, overrideSecurity }, call) {
      if (Object.keys(query ?? {}).length === 0 && allowMatchAll !== true && overrideSecurity !== true)
        throw new Failure(
          'InvalidArgumentsError',
          'deleteMany without a query deletes all records: say so with allowMatchAll.',
        )
      return does(call, (writer) => ({ count: store.remove(collection, fitting(collection, query, writer)) }))
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
  writer: Writer,
): Data {
  const query = Object.fromEntries(onConflictFields.map((field) => [field, data[field] ?? null]))
  if (Object.values(query).includes(null))
    throw new Failure(
      'InvalidArgumentsError',
      `Each of ${onConflictFields.join(', ')} must have a value to tell records apart.`,
    )
  const { id: _, ...change } = data
  const [before] = store.list(name, query, writer.options)
  const [record = {}] =
    before === undefined
      ? store.insert(name, [{ ...onInsertValues, ...data }], writer)
      : store.update(name, [before], onConflictFields.includes('id') ? change : data, writer)
  return record
}

function aboutSchemas(store: TestCollections): Omit<Functions, Reading | Writes> {
  return {
    updateSchema: ({ collection, properties, indexes, uniques }, call) =>
      does(call, () =>
        shownSchema(collection, store.changeSchema(collection, { properties, indexes, uniques })),
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
          bytes: JSON.stringify([...records.values()]).length,
        })),
      ),
    inferCollectionSchema: ({ collection }, call) =>
      does(call, ({ options }) => ({
        collection,
        properties: inferProperties(store.list(collection, undefined, options)),
      })),
    deleteCollections: ({ collections }, call) => does(call, () => ({ count: store.drop(collections) })),
  }
}

/** Most records that an answer has where it does not say. */
const LIMIT = 100
const MOST_GROUPS = 1000

interface PageOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>> | undefined
  readonly limit?: number | undefined
  readonly page?: number | undefined
  readonly skip?: number | undefined
  readonly fields?: string[] | Query | undefined
}

/** Each of several writes of one call has ids of its own. */
const keyOf = ({ effect }: Writer, index: number): string => derivedUuidv7(effect.key, effect.key, index)

function named(store: TestCollections, names: readonly string[] | undefined) {
  return (names ?? store.names()).flatMap((name) => {
    const found = store.find(name)
    return found === undefined ? [] : [[name, found] as const]
  })
}

/** What a template left empty would otherwise mean all records without that property. */
function requireValues(query: Query | undefined): void {
  const [empty] = Object.entries(query ?? {}).find(([, value]) => value === undefined) ?? []
  if (empty === undefined) return
  const message = `The query asks for "${empty}" and gives no value: write null where none is meant.`
  throw new Failure('InvalidArgumentsError', message)
}

/** The different values of a property, each item of a list by itself. */
function distinct(
  records: readonly Data[],
  field: string,
  { count, sort }: { readonly count?: boolean | undefined; readonly sort?: 1 | -1 | undefined },
): unknown[] {
  const counts = new Map<string, number>()
  for (const record of records)
    for (const value of [valueAt(record, field)].flat())
      if (value !== undefined) {
        const text = JSON.stringify(value)
        counts.set(text, (counts.get(text) ?? 0) + 1)
      }
  const found = [...counts].map(([text, times]) => ({ value: JSON.parse(text) as unknown, count: times }))
  found.sort((a, b) => compareValues(a.value, b.value) * (sort ?? 1))
  return found.slice(0, MOST_GROUPS).map((one) => (count === true ? one : one.value))
}

interface Step {
  readonly type: 'sum' | 'avg' | 'count' | 'min' | 'max'
  readonly inputField?: string | undefined
  readonly outputField: string
}

function grouped(
  records: readonly Data[],
  groupBy: readonly string[],
  steps: readonly Step[],
): Record<string, unknown>[] {
  const groups = new Map<string, Data[]>(groupBy.length === 0 ? [['[]', []]] : [])
  for (const record of records) {
    const key = JSON.stringify(groupBy.map((path) => valueAt(record, path) ?? null))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return [...groups].slice(0, MOST_GROUPS).map(([key, group]) => {
    const values: unknown[] = JSON.parse(key)
    return Object.fromEntries([
      ...groupBy.map((path, index) => [path, values[index]] as const),
      ...steps.map((step) => [step.outputField, computedBy(step, group)] as const),
    ])
  })
}

/** Numbers are computed with; the least and the greatest are of texts where there are no numbers. */
function computedBy({ type, inputField }: Step, group: readonly Data[]): unknown {
  if (inputField === undefined) return type === 'count' ? group.length : null
  const values = group
    .map((one) => valueAt(one, inputField))
    .filter((one) => one !== undefined && one !== null)
  if (type === 'count') return values.length
  const numbers = values.filter((one) => typeof one === 'number')
  if (type === 'min' || type === 'max') return outermost(type, numbers, values)
  const sum = numbers.reduce((total, one) => total + one, 0)
  if (type === 'sum') return sum
  return numbers.length === 0 ? null : sum / numbers.length
}

/** Of texts where there are no numbers. */
function outermost(type: 'min' | 'max', numbers: readonly number[], values: readonly unknown[]): unknown {
  const comparable = numbers.length > 0 ? numbers : values.filter((one) => typeof one === 'string')
  const ordered = [...comparable].sort(compareValues)
  return (type === 'min' ? ordered[0] : ordered.at(-1)) ?? null
}
