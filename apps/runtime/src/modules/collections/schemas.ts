import type { CollectionProperty, CollectionType } from '@platform/contracts'
import type { Queries } from '@platform/database'
import { Failure } from '@platform/kernel'
import { type CollectionSchema, changedSchema, type SchemaChange } from './collection-schema.ts'
import { type Collection, collectionStore } from './collection-store.ts'
import type { Data } from './record.ts'
import { stored } from './writes.ts'

const BATCH = 500
/** Most records whose indexes are made at once. */
const INDEXED_MAX = 100_000

/** Gives a collection another schema; what is there is checked, and put into the indexes. */
export async function changeSchema(
  tx: Queries,
  known: Collection,
  change: SchemaChange,
): Promise<CollectionSchema> {
  const store = collectionStore(tx)
  const current = await store.find(known.workspaceId, known.name)
  if (current === undefined)
    throw new Failure('ObjectNotFoundError', `The collection "${known.name}" was deleted meanwhile.`)
  const schema = changedSchema(current.schema, change)
  requireColumns(schema)
  await store.changeSchema(current, schema)
  const changed = { ...current, schema, version: current.version + 1 }
  // A column may still hold what was unique before.
  await store.clear(
    changed,
    schema.uniques.filter((one) => !current.schema.uniques.includes(one)),
  )
  let after = ''
  for (let done = 0; ; done += BATCH) {
    if (done > INDEXED_MAX)
      throw new Failure(
        'InvalidArgumentsError',
        `A collection of more than ${INDEXED_MAX} records can’t get another schema.`,
      )
    const rows = await store.lockAfter(changed, after, BATCH)
    await store.updateRecords(
      changed,
      rows.map(({ data }) => stored(changed, data)),
    )
    if (rows.length < BATCH) return schema
    after = String(rows.at(-1)?.data.id)
  }
}

function requireColumns({ indexes, uniques }: CollectionSchema): void {
  if ([...indexes, ...uniques].every(({ column }) => column !== '')) return
  throw new Failure('InvalidArgumentsError', 'The collection has too many indexes: name fewer.')
}

/** Without what schemas may hold that were kept when more was accepted: so it can be written as it was read. */
function shownProperty({
  type,
  nullable,
  enum: values,
  description,
}: CollectionProperty): CollectionProperty {
  const hasValues = values !== undefined && (type === 'enum' || type === 'enumArray')
  return {
    type,
    ...(nullable === undefined ? {} : { nullable }),
    ...(hasValues ? { enum: values } : {}),
    ...(description === undefined ? {} : { description }),
  }
}

/** A schema as automations see it. */
export const shownSchema = (name: string, { properties, indexes, uniques }: CollectionSchema) => ({
  collection: name,
  properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, shownProperty(one)])),
  indexes: indexes.map((one) => ({ properties: one.properties })),
  uniques: uniques.map((one) => ({ properties: one.properties })),
})

/** What properties seem to be; one that differs is json. */
export function inferProperties(records: readonly Data[]): Record<string, CollectionProperty> {
  const types = new Map<string, Set<CollectionType>>()
  const counts = new Map<string, number>()
  for (const record of records)
    for (const [name, value] of Object.entries(record)) {
      if (value === null || ['id', 'createdAt', 'updatedAt'].includes(name)) continue
      types.set(name, (types.get(name) ?? new Set()).add(typeOf(value)))
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  return Object.fromEntries(
    [...types].map(([name, seen]) => {
      const nullable = (counts.get(name) ?? 0) < records.length
      return [name, { type: merged(seen), ...(nullable ? {} : { nullable: false }) }]
    }),
  )
}

function merged(seen: ReadonlySet<CollectionType>): CollectionType {
  const [first = 'json'] = seen
  if (seen.size === 1) return first
  const all = [...seen]
  if (all.every((type) => type === 'integer' || type === 'number')) return 'number'
  return all.every((type) => ['string', 'date', 'datetime', 'text'].includes(type)) ? 'string' : 'json'
}

function typeOf(value: unknown): CollectionType {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value !== 'string') return 'json'
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return 'date'
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) return 'datetime'
  return value.length > 500 ? 'text' : 'string'
}
