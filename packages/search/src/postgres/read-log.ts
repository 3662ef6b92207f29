import { type Database, empty, join, one, type Sql, sql } from '@platform/database'
import type { DocumentGroup, GroupedField, Grouping, Log } from '../log.ts'
import type { PlacedDocument } from '../search.ts'

const READ_MS = 5000

/** The sequence as the index over all streams has it. */
export const PLACE_IN_ALL = sql`(sequence + 0)`

/** Documents after a sequence, oldest first. */
export const readAfter = (
  database: Database,
  sequence: number,
  limit: number,
  stream?: string,
): Promise<PlacedDocument[]> => {
  const place = stream === undefined ? PLACE_IN_ALL : sql`sequence`
  return database.many<PlacedDocument>(
    sql`
      select id, sequence, stream, document from search.documents
      where ${place} > ${sequence} ${stream === undefined ? empty : sql`and stream = ${stream}`}
      order by ${place} limit ${limit}`,
    { timeoutMs: READ_MS },
  )
}

/** Documents after a sequence, of all streams, as groups of alike ones. */
export async function groupsAfter(
  database: Database,
  sequence: number,
  limit: number,
  { types, fields }: Grouping,
): Promise<DocumentGroup[]> {
  const values = fields.map(compared)
  // An empty path answers the whole document, unpacked once for all fields: each of them alone would unpack it anew.
  const rows = await inOrderOfIndex<{ sequence: number; count: number; values: unknown[] }>(
    database,
    sql`
      select max(sequence) as sequence, count(*) as count, jsonb_build_array(${join(values, ', ')}) as values
      from (
        select sequence, case when type = any(${[...types]}::text[]) then document #> '{}'::text[] end as document
        from search.documents
        where ${PLACE_IN_ALL} > ${sequence} order by ${PLACE_IN_ALL} limit ${limit}) as unpacked
      group by values, ${ownPlace(fields)} order by 1`,
  )
  return rows.map(({ sequence, count, values }) => {
    const document: Record<string, unknown> = {}
    for (const [index, { path }] of fields.entries()) put(document, path, values[index])
    return { sequence, count, document }
  })
}

/**
 * Of the end of the log statistics know nothing: PostgreSQL takes it for short, and would read and sort all of it for
 * each thousand.
 */
const inOrderOfIndex = <Row>(database: Database, statement: Sql): Promise<Row[]> =>
  database.transaction(
    async (tx) => {
      const [, rows] = await Promise.all([tx.many(sql`set local enable_sort = off`), tx.many<Row>(statement)])
      return rows
    },
    { timeoutMs: READ_MS },
  )

const compared = ({ path, cutTo }: GroupedField): Sql =>
  cutTo === undefined
    ? sql`document #> ${[...path]}::text[]`
    : sql`left(document #>> ${[...path]}::text[], ${cutTo})`

/** The sequence of a document that has a field for which it stays alone. */
function ownPlace(fields: readonly GroupedField[]): Sql {
  const isThere = fields
    .filter(({ isAlone }) => isAlone)
    .map(({ path }) => sql`document #>> ${[...path]}::text[] is not null`)
  return sql`case when ${join([sql`false`, ...isThere], ' or ')} then sequence end`
}

function put(document: Record<string, unknown>, path: readonly string[], value: unknown): void {
  if (value === null || value === undefined) return
  const [last = '', ...above] = path.toReversed()
  let record = document
  for (const name of above.toReversed()) {
    record[name] ??= {}
    record = record[name] as Record<string, unknown>
  }
  record[last] = value
}

/** The sequences of those of the documents that are there. */
export async function sequencesOf(database: Database, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await database.many<{ id: string; sequence: number }>(
    sql`select id, sequence from search.documents where id = any(${[...ids]}::uuid[])`,
    { timeoutMs: READ_MS },
  )
  return new Map(rows.map(({ id, sequence }) => [id, sequence]))
}

/** The sequence of a document, or of the newest that is older. */
export async function placeOf(database: Database, stream: string, id: string): Promise<number> {
  const place = placeInStream(stream, id, sql`sequence`)
  return (await one<{ place: number }>(database, sql`select ${place} as place`)).place
}

/** SQL of the sequence of a document; of one that isn't there, `whereOlder` on the newest that is older; else 0. */
export const placeInStream = (stream: string, id: string, whereOlder: Sql): Sql => sql`coalesce(
    (select sequence from search.documents where id = ${id}::uuid and stream = ${stream}),
    (select ${whereOlder} from search.documents where stream = ${stream} and id < ${id}::uuid
      order by sequence desc limit 1),
    0)`

const LAST = sql`(select coalesce(max(${PLACE_IN_ALL}), 0) from search.documents)`

/** The newest sequence; 0 for an empty log. */
export async function lastSequence(database: Database): Promise<number> {
  return (await one<{ last: number }>(database, sql`select ${LAST} as last`)).last
}

/** The newest sequence and the newest document of a stream, at one moment. */
export async function endOf(database: Database, stream: string): ReturnType<Log['endOf']> {
  const newest = sql`(
    select id from search.documents where stream = ${stream} order by sequence desc limit 1)`
  const end = sql`select ${LAST} as sequence, ${newest} as "newestId"`
  const { sequence, newestId } = await one<{ sequence: number; newestId: string | null }>(database, end)
  return { sequence, newestId: newestId ?? undefined }
}

/** Documents of each stream, streams in the order of their names. */
export const counts = (
  database: Database,
  after: string | undefined,
  limit: number,
): Promise<{ stream: string; documents: number }[]> =>
  database.many(
    sql`
      select stream, count(*) as documents from search.documents
      ${after === undefined ? empty : sql`where stream > ${after}`}
      group by stream order by stream limit ${limit}`,
    { timeoutMs: 60_000 },
  )
