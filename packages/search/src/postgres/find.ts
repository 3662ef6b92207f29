import { type Database, empty, join, type Sql, sql } from '@platform/database'
import type { SearchQuery } from '../search.ts'
import { toSql } from './filter-to-sql.ts'
import { isRareWithIndex } from './index-use.ts'
import { PLACE_IN_ALL, placeInStream } from './read-log.ts'
import { amongVocabularies } from './wanted.ts'

/** All statements of a search together. */
export const FIND_MS = 5000
/**
 * Documents looked at in their order before an index of the filter is asked: about as long as fetching what is rarer.
 */
const LOOK_THROUGH = 5000

interface Row {
  sequence: number
  /** Null in the one row whose `sequence` is the number of documents that were looked through. */
  document: Record<string, unknown> | null
}

/** What a search reads: a stretch of one stream, or of all, in one direction. */
interface Stretch {
  within: Sql
  /** Column and direction. */
  order: Sql
  direction: Sql
  limit: number
  offset: number
  /** When the whole search must be over (`performance.now()`): a second statement has what the first has left. */
  endsAt: number
}

/** What is searched: a page is an offset. */
type Slice = Omit<SearchQuery, 'page'> & { offset: number }

/** The documents that fulfil a filter, in the order of the log. */
export async function find(
  database: Database,
  stream: string,
  { page = 0, ...query }: SearchQuery,
): Promise<Record<string, unknown>[]> {
  const endsAt = performance.now() + FIND_MS
  const { filter } = query
  const slice = { ...query, offset: page * query.limit }
  if (filter === undefined) return await findSlice(database, stream, slice, { condition: sql`true`, endsAt })
  const timeoutMs = () => timeUntil(endsAt)
  const condition = await amongVocabularies(database, { stream, timeoutMs }, (among) => toSql(filter, among))
  return await findSlice(database, stream, slice, { condition, endsAt })
}

/** The same of one stream or of all, from an offset on; `condition` is what the filter means, over at `endsAt`. */
export async function findSlice(
  database: Database,
  stream: string | undefined,
  query: Slice,
  { condition, endsAt }: { condition: Sql; endsAt: number },
): Promise<Record<string, unknown>[]> {
  const { filter, sort, limit, offset } = query
  const direction = sort === 'asc' ? sql`asc` : sql`desc`
  const stretch: Stretch = {
    within: withinOf(stream, query),
    order: sql`${stream === undefined ? PLACE_IN_ALL : sql`sequence`} ${direction}`,
    direction,
    limit,
    offset,
    endsAt,
  }
  if (filter === undefined || !isRareWithIndex(filter)) return await readInOrder(database, stretch, condition)
  return (
    (await lookThrough(database, stretch, condition)) ?? (await readByIndex(database, stretch, condition))
  )
}

/** The order is an index: right where most documents fulfil the filter, or no index knows which do. */
async function readInOrder(database: Database, stretch: Stretch, condition: Sql) {
  const { within, order, limit, offset } = stretch
  const rows = await database.many<Row>(
    sql`
      select sequence, document from search.documents where ${within} and (${condition})
      order by ${order} limit ${limit} offset ${offset}`,
    { timeoutMs: timeUntil(stretch.endsAt) },
  )
  return documentsOf(rows)
}

/**
 * Looks through the nearest documents only. Undefined when these are not enough: then what is asked for is rare. The
 * second part of the union is reached only when the first gave too little; it counts how many there were to look
 * through.
 */
async function lookThrough(database: Database, stretch: Stretch, condition: Sql) {
  const { within, order, limit, offset } = stretch
  const near = (what: Sql) =>
    sql`(select ${what} from search.documents where ${within} order by ${order} limit ${LOOK_THROUGH}) as near`
  const rows = await database.many<Row>(
    sql`
      (select sequence, document from ${near(sql`*`)} where ${condition} offset ${offset})
      union all (select count(*), null from ${near(sql`1`)})
      limit ${limit}`,
    { timeoutMs: timeUntil(stretch.endsAt) },
  )
  const last = rows.at(-1)
  const isFull = rows.length === limit && last?.document !== null
  return isFull || (last !== undefined && last.sequence < LOOK_THROUGH) ? documentsOf(rows) : undefined
}

/** Sorted by an expression that no index has, the order is none any more: PostgreSQL takes one of the filter's. */
async function readByIndex(database: Database, stretch: Stretch, condition: Sql) {
  const { within, direction, limit, offset } = stretch
  const rows = await database.many<Row>(
    sql`
      select sequence, document from search.documents where ${within} and (${condition})
      order by (sequence - 0) ${direction} limit ${limit} offset ${offset}`,
    { timeoutMs: timeUntil(stretch.endsAt) },
  )
  return documentsOf(rows)
}

/** What is left of a search (ms); a statement always has some time. */
export const timeUntil = (endsAt: number): number => Math.max(1, Math.ceil(endsAt - performance.now()))

const documentsOf = (rows: readonly Row[]): Record<string, unknown>[] =>
  rows.flatMap(({ document }) => (document === null ? [] : [document]))

function withinOf(stream: string | undefined, { beforeId, afterId }: Slice): Sql {
  const name = stream ?? ''
  const conditions = [
    stream === undefined ? empty : sql`stream = ${stream}`,
    beforeId === undefined ? empty : sql`sequence < ${placeInStream(name, beforeId, sql`sequence + 1`)}`,
    afterId === undefined ? empty : sql`sequence > ${placeInStream(name, afterId, sql`sequence`)}`,
  ].filter((condition) => condition !== empty)
  return conditions.length === 0 ? sql`true` : join(conditions, ' and ')
}
