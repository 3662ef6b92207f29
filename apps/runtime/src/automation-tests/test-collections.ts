import { type AutomationTest, modules } from '@platform/contracts'
import { matchesFilter, type Options } from '@platform/expressions'
import { byCodePoints, type Clock, Failure, lowestUuidv7 } from '@platform/kernel'
import { changed } from '../modules/collections/changes.ts'
import {
  type CollectionSchema,
  changedSchema,
  emptySchema,
  requireFit,
  type SchemaChange,
} from '../modules/collections/collection-schema.ts'
import { keysOf } from '../modules/collections/keys.ts'
import { type Data, givenId, recordOf } from '../modules/collections/record.ts'
import { compareValues, kept, valueAt } from './kept-values.ts'

export type Query = Readonly<Record<string, unknown>>

interface Collection {
  readonly schema: CollectionSchema
  readonly records: ReadonlyMap<string, Data>
  readonly createdAt: string
  readonly updatedAt: string
}

/** Records of all collections of a test. */
const MOST_RECORDS = 20_000

interface Parts {
  readonly clock: Clock
  /** Is told how much is written, and may throw. */
  readonly keeps: (characters: number) => void
  /** A UUID that belongs to the test and this number. */
  readonly idOf: (count: number) => string
}

/** The collections of one test, in memory. */
export class TestCollections {
  readonly #parts: Parts
  readonly #collections = new Map<string, Collection>()
  #made = 0

  constructor(parts: Parts, given: AutomationTest['collections'] = {}) {
    this.#parts = parts
    for (const [name, one] of Object.entries(given)) {
      const { rows = [], ...schema } = Array.isArray(one) ? { rows: one } : one
      this.changeSchema(name, schemaOf(name, schema))
      this.insert(name, rows)
    }
  }

  names(): string[] {
    return [...this.#collections.keys()].sort()
  }

  find(name: string): Collection | undefined {
    return this.#collections.get(name)
  }

  /** The records that fit, by their ids. */
  list(name: string, query: Query | undefined, options: Options): Data[] {
    const records = [...(this.find(name)?.records.values() ?? [])]
    const found = records.filter((one) => query === undefined || matchesFilter(one, query, options))
    return found.sort((a, b) => byCodePoints(String(a.id), String(b.id)))
  }

  /** Writes, all or nothing, to a collection that is made where there is none. */
  change<T>(name: string, work: () => T): T {
    const before = this.#require(name)
    try {
      return work()
    } catch (error) {
      this.#collections.set(name, before)
      throw error
    }
  }

  insert(name: string, given: readonly Data[]): Data[] {
    const { records } = this.#require(name)
    if (records.size + given.length > MOST_RECORDS)
      throw new Failure('InvalidArgumentsError', `A collection of a test may have ${MOST_RECORDS} records.`)
    const now = this.#now()
    const added = given.map((data) => plain(recordOf(data, { id: givenId(data) ?? this.#nextId(), now })))
    return this.#write(name, added, true)
  }

  update(name: string, before: readonly Data[], change: Data, options: Options): Data[] {
    const now = this.#now()
    const after = before.map((data) =>
      plain(recordOf(changed(data, change, options), { id: String(data.id), now, before: data })),
    )
    return this.#write(name, after, false)
  }

  remove(name: string, records: readonly Data[]): number {
    const collection = this.#require(name)
    const rest = new Map(collection.records)
    for (const { id } of records) rest.delete(String(id))
    this.#collections.set(name, { ...collection, records: rest })
    return records.length
  }

  drop(names: readonly string[]): number {
    return names.filter((name) => this.#collections.delete(name)).length
  }

  changeSchema(name: string, change: SchemaChange): CollectionSchema {
    const collection = this.#require(name)
    const schema = changedSchema(collection.schema, change)
    this.#collections.set(name, { ...collection, schema, updatedAt: this.#now() })
    this.#write(name, [...collection.records.values()], false)
    return schema
  }

  #write(name: string, records: readonly Data[], isNew: boolean): Data[] {
    const collection = this.#require(name)
    const { schema } = collection
    const keys = records.map((data) => {
      requireFit(schema, data, name)
      return uniqueKeys(schema, data)
    })
    const replaced = new Set(isNew ? [] : records.map(({ id }) => String(id)))
    const others = [...collection.records.values()].filter(({ id }) => !replaced.has(String(id)))
    const taken = new Set(others.flatMap((one) => uniqueKeys(schema, one).map(({ text }) => text)))
    for (const { text, properties } of keys.flat()) {
      if (taken.has(text)) throw alreadyThere(name, properties)
      taken.add(text)
    }
    const after = new Map(collection.records)
    for (const data of records) {
      this.#parts.keeps(JSON.stringify(data).length)
      after.set(String(data.id), kept(data) as Data)
    }
    this.#collections.set(name, { ...collection, records: after })
    return records.map((one) => structuredClone(one))
  }

  /** One after another, as those that the platform makes: in their order records without one of their own are found. */
  #nextId(): string {
    this.#made += 1
    const count = this.#made.toString(16).padStart(6, '0')
    const [time, short] = lowestUuidv7(this.#parts.clock.now().getTime()).split('-')
    return `${time}-${short}-7${count.slice(0, 3)}-8${count.slice(3)}-${this.#parts.idOf(this.#made).slice(-12)}`
  }

  #require(name: string): Collection {
    const known = this.#collections.get(name)
    if (known !== undefined) return known
    const now = this.#now()
    const made = { schema: emptySchema, records: new Map<string, Data>(), createdAt: now, updatedAt: now }
    this.#collections.set(name, made)
    return made
  }

  #now(): string {
    return this.#parts.clock.now().toISOString()
  }
}

/** As `updateSchema` takes it. */
function schemaOf(collection: string, given: Readonly<Record<string, unknown>>): SchemaChange {
  const { updateSchema } = modules.collections.functions
  const parsed = updateSchema.parameters.safeParse({ collection, ...given })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const place = [collection, ...(issue?.path ?? [])].map(String).join('.')
  throw new Failure('InvalidArgumentsError', `\`collections.${place}\` of the test: ${issue?.message}.`)
}

const plain = (data: Data): Data => JSON.parse(JSON.stringify(data)) as Data

/** What no other record may have. */
function uniqueKeys(schema: CollectionSchema, data: Data) {
  const keys = keysOf(schema, data)
  const uniques = schema.uniques
    .filter(({ column }) => keys[column] !== undefined)
    .sort((a, b) => byCodePoints(a.column, b.column))
  return [
    { text: `id ${String(data.id)}`, properties: ['id'] },
    ...uniques.map(({ column, properties }) => ({ text: `${column} ${keys[column]}`, properties })),
  ]
}

const alreadyThere = (name: string, properties: readonly string[]) =>
  new Failure(
    'AlreadyUsed',
    `There is a record with the same ${properties.join(', ')} in "${name}" already.`,
    { details: { properties } },
  )

/** In the order of `sort`; those alike stay as they are. */
export function sorted(records: readonly Data[], sort: Readonly<Record<string, 1 | -1>> = {}): Data[] {
  const paths = Object.entries(sort).slice(0, 8)
  return [...records].sort((a, b) => {
    for (const [path, direction] of paths) {
      const order = compareValues(valueAt(a, path), valueAt(b, path))
      if (order !== 0) return order * direction
    }
    return 0
  })
}
