import type { Queries } from '@platform/database'
import type { Options } from '@platform/expressions'
import { Failure, uuidv7 } from '@platform/kernel'
import { changed } from './changes.ts'
import { requireFit } from './collection-schema.ts'
import { type Collection, collectionStore, type StoredRecord } from './collection-store.ts'
import { lockFitting, type Query } from './finds.ts'
import { keysOf } from './keys.ts'
import { type Data, givenId, RECORD_MAX, recordOf } from './record.ts'

/** Most records that one call changes. */
export const CHANGED_MAX = 10_000

/** What a write needs beside its transaction. */
export interface Writing {
  readonly tx: Queries
  readonly collection: Collection
  readonly options: Options
  readonly now: Date
  readonly maxRecords: number
}

/** Adds records, all or none. */
async function insertAll(writing: Writing, given: readonly Data[]): Promise<Data[]> {
  const { tx, collection } = writing
  const records = newRecords(writing, given)
  await collectionStore(tx).insertRecords(
    collection,
    records.map((one) => stored(collection, one)),
  )
  return records
}

/** What is to be added for what is given. */
export function newRecords(
  { collection, now, maxRecords }: Omit<Writing, 'tx' | 'options'>,
  given: readonly Data[],
): Data[] {
  if (collection.records + given.length > maxRecords)
    throw new Failure(
      'InvalidArgumentsError',
      `The collection "${collection.name}" has ${maxRecords} records already: delete some first.`,
      { details: { max: maxRecords } },
    )
  return given.map((data) => {
    const id = givenId(data) ?? uuidv7()
    return recordOf(data, { id, now: now.toISOString() })
  })
}

/** Changes what fits, at most `limit` records; answers them. */
export async function updateFitting(
  writing: Writing,
  query: Query | undefined,
  change: Data,
  limit: number,
): Promise<Data[]> {
  requireValues(query)
  const { tx, collection, options } = writing
  const before = await lockFitting(tx, collection, query, options, limit + (limit > 1 ? 1 : 0))
  if (before.length > limit) throw tooManyChanged(limit)
  return await replaceAll(writing, before, change)
}

async function replaceAll(writing: Writing, before: readonly Data[], change: Data): Promise<Data[]> {
  const { tx, collection, options, now } = writing
  if (before.length === 0) return []
  const after = before.map((data) =>
    recordOf(changed(data, change, options), { id: String(data.id), now: now.toISOString(), before: data }),
  )
  const records = after.map((one) => stored(collection, one))
  if (records.length > 1)
    await collectionStore(tx).clear(
      collection,
      collection.schema.uniques,
      idsOfMoved(collection, before, records),
    )
  await collectionStore(tx).updateRecords(collection, records)
  return after
}

/** Those that get another unique value, which may be that of another one of them as yet. */
function idsOfMoved(
  { schema }: Collection,
  before: readonly Data[],
  after: readonly StoredRecord[],
): string[] {
  const moved = after.filter(({ keys }, at) => {
    const earlier = keysOf(schema, before[at] ?? {})
    return schema.uniques.some(({ column }) => keys[column] !== earlier[column])
  })
  return moved.map(({ id }) => id)
}

export async function deleteFitting(
  writing: Writing,
  query: Query | undefined,
  limit: number,
): Promise<number> {
  requireValues(query)
  const { tx, collection, options } = writing
  const found = await lockFitting(tx, collection, query, options, limit + (limit > 1 ? 1 : 0))
  if (found.length > limit) throw tooManyChanged(limit)
  if (found.length > 0)
    await collectionStore(tx).deleteRecords(
      collection,
      found.map(({ id }) => String(id)),
    )
  return found.length
}

/** Changes the record that is like this one, or adds it. Others that do the same for it at this moment wait. */
export async function upsertOne(
  writing: Writing,
  data: Data,
  {
    onConflictFields,
    onInsertValues = {},
  }: { onConflictFields: readonly string[]; onInsertValues?: Data | undefined },
): Promise<Data> {
  const { tx, collection } = writing
  const query = Object.fromEntries(onConflictFields.map((name) => [name, { $eq: data[name] ?? null }]))
  if (Object.values(query).some(({ $eq }) => $eq === null))
    throw new Failure(
      'InvalidArgumentsError',
      `Each of ${onConflictFields.join(', ')} must have a value to tell records apart.`,
    )
  await collectionStore(tx).lockAlike(collection, JSON.stringify(query))
  const { id: _, ...change } = data
  const [updated] = await updateFitting(writing, query, onConflictFields.includes('id') ? change : data, 1)
  if (updated !== undefined) return updated
  const [inserted = {}] = await insertAll(writing, [{ ...onInsertValues, ...data }])
  return inserted
}

/** The row of a record. */
export function stored(collection: Collection, data: Data): StoredRecord {
  requireFit(collection.schema, data, collection.name)
  const text = JSON.stringify(data)
  if (text.length > RECORD_MAX)
    throw new Failure(
      'PayloadTooLarge',
      `A record may have ${RECORD_MAX} characters as JSON, this one has ${text.length}.`,
    )
  return { id: String(data.id), text, keys: keysOf(collection.schema, data) }
}

/** What a template left empty would otherwise mean all records without that property. */
function requireValues(query: Query | undefined): void {
  const [empty] = Object.entries(query ?? {}).find(([, value]) => value === undefined) ?? []
  if (empty !== undefined)
    throw new Failure(
      'InvalidArgumentsError',
      `The query asks for "${empty}" and gives no value: write null where none is meant.`,
    )
}

const tooManyChanged = (max: number) =>
  new Failure('InvalidArgumentsError', `More than ${max} records fit: change them in parts.`, {
    details: { max },
  })
