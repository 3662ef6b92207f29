import { empty, type Queries, raw, type Sql, sql } from '@platform/database'
import {
  type Collection,
  insertInto,
  type Page,
  pageOf,
  requireVersion,
  StaleSchema,
  type StoredRecord,
} from './collection-store.ts'
import type { Data } from './record.ts'

// Statements that enter their workspace by themselves, outside of any transaction: all that follows needs what the
// first part answers, and cannot be moved before it. They see and change records through the views of the role that
// sees those of one workspace.
const RECORDS = sql`runtime.records_of_workspace`

const entering = ({ workspaceId }: Collection): Sql => sql`
  with entered as materialized (select set_config('platform.workspace', ${workspaceId}, true) as workspace)`

/** The collection that the workspace has. */
const entered = ({ id }: Collection): Sql => sql`
  entered cross join lateral (
    select version from runtime.collections_of_workspace
    where workspace_id = entered.workspace and id = ${id} limit 1) c`

/** A page of the records that fit. Throws StaleSchema. */
export async function findAlone(
  queries: Queries,
  collection: Collection,
  where: Sql,
  page: Page,
): Promise<{ data: Data; size: number }[]> {
  const found = pageOf(collection, where, page, { records: RECORDS, workspace: sql`entered.workspace` })
  const rows = await queries.many<{ version: number; data: Data | null; size: number }>(sql`
    ${entering(collection)}
    select c.version, p.data, p.size from ${entered(collection)} left join lateral (${found}) p on true`)
  requireVersion(rows[0], collection)
  return rows.flatMap(({ data, size }) => (data === null ? [] : [{ data, size }]))
}

/**
 * What has each of these keys in a column that no two records have the same of, for several callers. Throws
 * StaleSchema.
 */
export async function findByKeys(
  queries: Queries,
  collection: Collection,
  column: string,
  keys: readonly string[],
): Promise<(Data | undefined)[]> {
  // Of a list that is selected PostgreSQL guesses the same however long it is, and so keeps the plan for all.
  const rows = await queries.many<{ version: number; place: number; data: Data | null }>(sql`
    ${entering(collection)}
    select c.version, asked.place, r.data from ${entered(collection)}
    cross join unnest((select ${keys}::text[])) with ordinality as asked (key, place)
    left join lateral (
      select r.data from ${RECORDS} r
      where r.workspace_id = entered.workspace and r.collection_id = ${collection.id} and r.${raw(column)} = asked.key
      limit 1) r on true`)
  requireVersion(rows[0], collection)
  const found = new Map(rows.map(({ place, data }) => [place, data ?? undefined]))
  return keys.map((_, at) => found.get(at + 1))
}

/** Enters as a writer does, and answers what version the schema has then. */
const enteringToWrite = ({ id, workspaceId }: Collection): Sql => sql`
  with entered as materialized (select runtime.enter_collection(${workspaceId}, ${id}::uuid) as version)`

const current = ({ version }: Collection): Sql => sql`entered where version = ${version}`

/** Adds records, all or none, with what is to be kept of the write. Throws StaleSchema. */
export async function insertAlone(
  queries: Queries,
  collection: Collection,
  records: readonly StoredRecord[],
  kept: (source: Sql) => Sql | undefined,
): Promise<void> {
  const effect = kept(sql`from ${current(collection)}`)
  const rows = await queries.many(sql`
    ${enteringToWrite(collection)} ${effect === undefined ? empty : sql`, effect as (${effect})`}
    ${insertInto(RECORDS, current(collection), collection, records)} returning 1`)
  if (rows.length !== records.length) throw new StaleSchema()
}

/**
 * Adds records of several callers, each with an id of its own; answers the ids of those that were added. One like which
 * there is a record already is left out, and the others are none the worse for it. Throws StaleSchema.
 */
export async function insertBeside(
  queries: Queries,
  collection: Collection,
  records: readonly StoredRecord[],
): Promise<ReadonlySet<string>> {
  const rows = await queries.many<{ version: number | null; id: string | null }>(sql`
    ${enteringToWrite(collection)},
    added as (${insertInto(RECORDS, current(collection), collection, records)} on conflict do nothing returning id)
    select entered.version, added.id from entered left join added on true`)
  requireVersion(rows[0], collection)
  return new Set(rows.flatMap(({ id }) => id ?? []))
}
