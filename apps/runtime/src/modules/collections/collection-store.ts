import { isUniqueViolation, type Queries, raw, type Sql, sql } from '@platform/database'
import { Failure } from '@platform/kernel'
import type { CollectionSchema, Indexed } from './collection-schema.ts'
import type { Data } from './record.ts'

/** A collection as it was read last. */
export interface Collection {
  readonly id: string
  readonly workspaceId: string
  readonly name: string
  readonly schema: CollectionSchema
  readonly version: number
  /** As they were counted last. */
  readonly records: number
}

/** The schema is another one by now: what was compiled with it is worth nothing. */
export class StaleSchema extends Error {
  override readonly name = 'StaleSchema'
}

/** A record as JSON, with the columns of its indexes. */
export interface StoredRecord {
  readonly id: string
  readonly text: string
  readonly keys: Readonly<Record<string, string>>
}

/** What of the records that fit is wanted. */
export interface Page {
  readonly order: Sql
  readonly limit: number
  readonly offset: number
}

/** Most characters of an answer. */
export const ANSWER_MAX = 10_000_000

const columns = sql`id, workspace_id as "workspaceId", name, schema, version, records`

/** Statements about collections and their records, in a transaction that was entered for one workspace. */
export const collectionStore = (tx: Queries) => ({
  async find(workspaceId: string, name: string): Promise<Collection | undefined> {
    const [row] = await tx.many<Collection>(
      sql`select ${columns} from runtime.collections where workspace_id = ${workspaceId} and name = ${name}`,
    )
    return row
  },

  list: (workspaceId: string, names: readonly string[] | undefined) =>
    tx.many<Collection & { createdAt: Date; updatedAt: Date }>(sql`
      select ${columns}, created_at as "createdAt", updated_at as "updatedAt" from runtime.collections
      where workspace_id = ${workspaceId} and (${names ?? null}::text[] is null or name = any(${names ?? null}::text[]))
      order by name collate "C" limit 1000`),

  /** Does nothing where there is one of this name, or the workspace has its `max`. */
  insert: (workspaceId: string, id: string, name: string, schema: CollectionSchema, max: number) =>
    tx.many(sql`
      insert into runtime.collections (id, workspace_id, name, schema)
      select ${id}, ${workspaceId}, ${name}, ${JSON.stringify(schema)}
      where (select count(*) from runtime.collections where workspace_id = ${workspaceId}) < ${max}
      on conflict (workspace_id, name) do nothing`),

  changeSchema: ({ id, workspaceId }: Collection, schema: CollectionSchema) =>
    tx.many(sql`
      update runtime.collections set schema = ${JSON.stringify(schema)}, version = version + 1, updated_at = now()
      where workspace_id = ${workspaceId} and id = ${id}`),

  /** Throws StaleSchema. */
  async findRecords(collection: Collection, where: Sql, page: Page): Promise<{ data: Data; size: number }[]> {
    const rows = await tx.many<{ version: number; data: Data | null; size: number }>(sql`
      select c.version, p.data, p.size from runtime.collections c left join lateral (
        ${page.limit <= SMALL ? pageOf(collection, where, page) : boundedPageOf(collection, where, page)}) p on true
      where c.id = ${collection.id} and c.workspace_id = ${collection.workspaceId}`)
    requireVersion(rows[0], collection)
    return rows.flatMap(({ data, size }) => (data === null ? [] : [{ data, size }]))
  },

  /** Throws StaleSchema. */
  async count(collection: Collection, where: Sql): Promise<number> {
    const [row] = await tx.many<{ version: number; count: number }>(sql`
      select c.version, (select count(*) from runtime.records r where ${fits(collection, where)}) as count
      from runtime.collections c where c.id = ${collection.id} and c.workspace_id = ${collection.workspaceId}`)
    requireVersion(row, collection)
    return row?.count ?? 0
  },

  /** Throws StaleSchema. */
  async select<Row>(collection: Collection, where: Sql, select: (fitting: Sql) => Sql): Promise<Row[]> {
    const [current] = await tx.many<{ version: number }>(
      sql`
        select version from runtime.collections
        where workspace_id = ${collection.workspaceId} and id = ${collection.id}`,
    )
    requireVersion(current, collection)
    return await tx.many<Row>(select(sql`runtime.records r where ${fits(collection, where)}`))
  },

  /** Nobody else changes them until the transaction ends. */
  lockRecords: (collection: Collection, where: Sql, { order, limit, offset }: Page) =>
    tx.many<{ data: Data; size: number }>(sql`
      select r.data, r.size from runtime.records r where ${fits(collection, where)}
      order by ${order} limit ${limit} offset ${offset} for update`),

  /** The next by their id, locked. */
  lockAfter: (collection: Collection, id: string, limit: number) =>
    tx.many<{ data: Data }>(sql`
      select r.data from runtime.records r where ${fits(collection, sql`r.id > ${id}`)}
      order by r.id limit ${limit} for update`),

  /** Others that are about to add a record like this wait until the transaction ends. */
  lockAlike: ({ id }: Collection, like: string) =>
    tx.many(sql`select pg_advisory_xact_lock(hashtextextended(${`${id} ${like}`}, 68))`),

  /** Throws StaleSchema. */
  async insertRecords(collection: Collection, records: readonly StoredRecord[]): Promise<void> {
    const current = sql`
      runtime.collections where workspace_id = ${collection.workspaceId} and id = ${collection.id}
        and version = ${collection.version}`
    const inserting = insertInto(RECORDS, current, collection, records)
    const rows = await told(collection, tx.many(sql`${inserting} returning 1`))
    if (rows.length !== records.length) throw new StaleSchema()
  },

  async updateRecords(collection: Collection, records: readonly StoredRecord[]): Promise<void> {
    const { sets, typed } = columnsOf(collection)
    const updating = tx.many(sql`
      update runtime.records r set data = x.data, size = x.size${sets}
      from jsonb_to_recordset(${jsonOf(records)}::jsonb) as x (id text, data jsonb, size int${typed})
      where r.workspace_id = ${collection.workspaceId} and r.collection_id = ${collection.id} and r.id = x.id`)
    await told(collection, updating)
  },

  /** Without these unique values until they are written anew: else one could not pass from a record to another. */
  async clear(collection: Collection, uniques: readonly Indexed[], ids?: readonly string[]): Promise<void> {
    if (uniques.length === 0 || ids?.length === 0) return
    const cleared = raw(uniques.map(({ column }) => `${column} = null`).join(', '))
    const held = raw(uniques.map(({ column }) => `r.${column} is not null`).join(' or '))
    await tx.many(sql`
      update runtime.records r set ${cleared}
      where ${fits(collection, ids === undefined ? sql`true` : anyOf(ids))} and (${held})`)
  },

  deleteRecords: (collection: Collection, ids: readonly string[]) =>
    tx.many(sql`
      delete from runtime.records r
      where r.workspace_id = ${collection.workspaceId} and r.collection_id = ${collection.id}
        and r.id = any(${ids}::text[])`),

  stats: (workspaceId: string, names: readonly string[] | undefined) =>
    tx.many<{ collection: string; records: number; bytes: number }>(sql`
      select c.name as collection, count(r.id) as records, coalesce(sum(r.size), 0)::float8 as bytes
      from runtime.collections c left join runtime.records r
        on r.collection_id = c.id and r.workspace_id = c.workspace_id
      where c.workspace_id = ${workspaceId}
        and (${names ?? null}::text[] is null or c.name = any(${names ?? null}::text[]))
      group by c.name order by c.name collate "C" limit 1000`),

  async deleteCollections(workspaceId: string, names: readonly string[]): Promise<number> {
    await tx.many(sql`
      delete from runtime.records where workspace_id = ${workspaceId} and collection_id in (
        select id from runtime.collections where workspace_id = ${workspaceId} and name = any(${names}::text[]))`)
    const rows = await tx.many(sql`
      delete from runtime.collections where workspace_id = ${workspaceId} and name = any(${names}::text[]) returning 1`)
    return rows.length
  },
})

/** Pages of so few records are not measured before they are sent. */
export const SMALL = 10

/** Always said first: the workspace, whatever the rest is. */
const fits = ({ id, workspaceId }: Collection, where: Sql, workspace: Sql | string = workspaceId): Sql =>
  sql`r.workspace_id = ${workspace} and r.collection_id = ${id} and (${where})`

const RECORDS = sql`runtime.records`

/** Of a view, where the statement has entered the workspace, and of the table in a transaction that has. */
export const pageOf = (
  collection: Collection,
  where: Sql,
  { order, limit, offset }: Page,
  from: { readonly records: Sql; readonly workspace?: Sql } = { records: RECORDS },
): Sql => sql`
  select r.data, r.size from ${from.records} r where ${fits(collection, where, from.workspace)}
  order by ${order} limit ${limit} offset ${offset}`

/** No more than an answer may have, and one record to see that there is more. */
const boundedPageOf = (collection: Collection, where: Sql, page: Page): Sql => sql`
  select q.data, q.size from (
    select p.*, sum(p.size) over (rows unbounded preceding) - p.size as before
    from (${pageOf(collection, where, page)}) p) q
  where q.before <= ${ANSWER_MAX}`

export function requireVersion(row: { version: number | null } | undefined, { version }: Collection): void {
  if (row?.version !== version) throw new StaleSchema()
}

function columnsOf({ schema }: Collection) {
  const all = [...schema.indexes, ...schema.uniques].map(({ column }) => column)
  const each = (text: (column: string) => string) => raw(all.map(text).join(''))
  return {
    names: (prefix: Sql) => each((column) => `, ${prefix.sql}${column}`),
    sets: each((column) => `, ${column} = x.${column}`),
    typed: each((column) => `, ${column} text`),
  }
}

/** Adds records where `current`, a table with its condition, has the row that says that the schema is the same. */
export function insertInto(
  records: Sql,
  current: Sql,
  collection: Collection,
  rows: readonly StoredRecord[],
): Sql {
  const { names, typed } = columnsOf(collection)
  return sql`
    insert into ${records} (collection_id, workspace_id, id, data, size${names(raw(''))})
    select ${collection.id}::uuid, ${collection.workspaceId}, x.id, x.data, x.size${names(raw('x.'))}
    from (select 1 from ${current}) c, jsonb_to_recordset(${jsonOf(rows)}::jsonb)
      as x (id text, data jsonb, size int${typed})`
}

function jsonOf(records: readonly StoredRecord[]): string {
  const rows = records.map(({ id, text, keys }) => {
    const columns = JSON.stringify({ id, size: text.length, ...keys })
    return `{"data":${text},${columns.slice(1)}`
  })
  return `[${rows.join(',')}]`
}

export const anyOf = (ids: readonly string[]): Sql => sql`r.id = any(${ids}::text[])`

/** That a value is there already is told as it was meant. */
export async function told<T>(
  { name, schema }: Pick<Collection, 'name' | 'schema'>,
  writing: Promise<T>,
): Promise<T> {
  try {
    return await writing
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const column = /records_(u\d)/.exec(error instanceof Error ? error.message : '')?.[1]
    const properties = schema.uniques.find((one) => one.column === column)?.properties ?? ['id']
    throw new Failure(
      'AlreadyUsed',
      `There is a record with the same ${properties.join(', ')} in "${name}" already.`,
      {
        details: { properties },
        cause: error,
      },
    )
  }
}
