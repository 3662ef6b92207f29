import { type AutomationTest, modules } from '@platform/contracts'
import { matchesFilter, type Options, readProperty } from '@platform/expressions'
import { type Clock, derivedUuidv7, Failure } from '@platform/kernel'
import type { OutsideEffect } from '../automations/model.ts'
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

export type Query = Readonly<Record<string, unknown>>

interface Collection {
  schema: CollectionSchema
  readonly records: Map<string, Data>
  readonly createdAt: string
  updatedAt: string
}

/** Records of all collections of a test. */
const MOST_RECORDS = 20_000

/** In whose name something is written. */
export interface Writer {
  readonly effect: Pick<OutsideEffect, 'key'>
  readonly options: Options
}

/** The collections of one test, in memory. */
export class TestCollections {
  readonly #clock: Clock
  readonly #keeps: (characters: number) => void
  readonly #collections = new Map<string, Collection>()

  /** `keeps` is told how much is written, and may throw. */
  constructor(clock: Clock, keeps: (characters: number) => void, given: AutomationTest['collections'] = {}) {
    this.#clock = clock
    this.#keeps = keeps
    for (const [name, one] of Object.entries(given)) {
      const { rows = [], ...schema } = Array.isArray(one) ? { rows: one } : one
      this.changeSchema(name, schemaOf(name, schema))
      this.insert(name, rows, { effect: { key: GIVEN_ID }, options: {} })
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
    return found.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
  }

  insert(name: string, given: readonly Data[], { effect }: Writer): Data[] {
    const collection = this.#require(name)
    if (collection.records.size + given.length > MOST_RECORDS)
      throw new Failure('InvalidArgumentsError', `A collection of a test may have ${MOST_RECORDS} records.`)
    const now = this.#now()
    const records = given.map((data, index) => {
      const id = givenId(data) ?? derivedUuidv7(effect.key, effect.key, name, index)
      return plain(recordOf(data, { id, now }))
    })
    return this.#write(name, collection, records, true)
  }

  update(name: string, before: readonly Data[], change: Data, { options }: Writer): Data[] {
    if (before.length === 0) return []
    const now = this.#now()
    const after = before.map((data) =>
      plain(recordOf(changed(data, change, options), { id: String(data.id), now, before: data })),
    )
    return this.#write(name, this.#require(name), after, false)
  }

  remove(name: string, records: readonly Data[]): number {
    for (const { id } of records) this.find(name)?.records.delete(String(id))
    return records.length
  }

  drop(names: readonly string[]): number {
    return names.filter((name) => this.#collections.delete(name)).length
  }

  changeSchema(name: string, change: SchemaChange): CollectionSchema {
    const collection = this.#require(name)
    const before = collection.schema
    collection.schema = changedSchema(before, change)
    collection.updatedAt = this.#now()
    try {
      this.#write(name, collection, [...collection.records.values()], false)
    } catch (error) {
      collection.schema = before
      throw error
    }
    return collection.schema
  }

  /** All or none. */
  #write(name: string, collection: Collection, records: readonly Data[], isNew: boolean): Data[] {
    const { schema } = collection
    const replaced = new Set(isNew ? [] : records.map(({ id }) => String(id)))
    const others = [...collection.records.values()].filter(({ id }) => !replaced.has(String(id)))
    const taken = new Set(others.flatMap((one) => uniqueKeys(schema, one).map(({ text }) => text)))
    for (const data of records) {
      requireFit(schema, data, name)
      for (const { text, properties } of uniqueKeys(schema, data)) {
        if (taken.has(text)) throw alreadyThere(name, properties)
        taken.add(text)
      }
    }
    for (const data of records) {
      this.#keeps(JSON.stringify(data).length)
      collection.records.set(String(data.id), data)
    }
    return records.map((one) => structuredClone(one))
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
    return this.#clock.now().toISOString()
  }
}

/** Of what is there before the test. */
const GIVEN_ID = '00000000-0000-7000-8000-000000000000'

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
  const uniques = schema.uniques.filter(({ column }) => keys[column] !== undefined)
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

/** In the order of `sort`: nothing, numbers, texts, objects, lists, true and false; then by the id. */
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

export const valueAt = (data: unknown, path: string): unknown =>
  path.split('.').reduce((value, key) => (value === undefined ? undefined : readProperty(value, key)), data)

const KINDS = ['null', 'number', 'string', 'object', 'array', 'boolean']

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

export function compareValues(a: unknown, b: unknown): number {
  const kind = kindOf(a)
  if (kind !== kindOf(b)) return KINDS.indexOf(kind) - KINDS.indexOf(kindOf(b))
  if (kind === 'number') return Number(a) - Number(b)
  const [left, right] = [textOf(a), textOf(b)]
  return left === right ? 0 : left < right ? -1 : 1
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
