import { type Database, empty, one, type Sql, sql } from '@platform/database'
import type { Log } from '../log.ts'
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
