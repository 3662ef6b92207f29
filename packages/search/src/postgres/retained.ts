import { type Database, empty, sql } from '@platform/database'
import { lowestUuidv7, uuidv7Ms } from '@platform/kernel'
import type { StreamSummary } from '../search.ts'
import { forgetAll, forgetUnused } from './vocabularies.ts'

/** Far from any request. */
const SLOW = { timeoutMs: 60_000 }
const DELETE_BATCH = 5000

interface SummaryRow {
  stream: string
  documents: number
  newest: string | null
}

/** Streams in the order of their names; an empty one is none. */
export async function streams(
  database: Database,
  after: string | undefined,
  limit: number,
): Promise<StreamSummary[]> {
  const rows = await database.many<SummaryRow>(
    sql`
      with counted as (
        select stream, count(*) as documents from search.documents
        ${after === undefined ? empty : sql`where stream > ${after}`}
        group by stream order by stream limit ${limit})
      select counted.stream, documents, (
        select id from search.documents where documents.stream = counted.stream order by sequence desc limit 1
      ) as newest
      from counted order by stream`,
    SLOW,
  )
  return rows.map(({ stream, documents, newest }) => ({
    stream,
    documents,
    newestAt: newest === null ? undefined : new Date(uuidv7Ms(newest)),
  }))
}

/** Deletes at most `limit` documents whose ids are older than `before`, oldest first. */
export async function deleteBefore(
  database: Database,
  stream: string,
  before: Date,
  limit: number,
): Promise<number> {
  const deleted = await database.many(
    sql`
      delete from search.documents where id in (
        select id from search.documents
        where stream = ${stream} and id < ${lowestUuidv7(before.getTime())}::uuid
        order by sequence limit ${limit})
      returning 1`,
    SLOW,
  )
  if (deleted.length < limit) await forgetUnused(database, stream)
  return deleted.length
}

/** In steps, so that a large stream keeps no lock for long. */
export async function deleteStream(database: Database, stream: string): Promise<void> {
  for (;;) {
    const deleted = await database.many(
      sql`
        delete from search.documents where id in (
          select id from search.documents where stream = ${stream} limit ${DELETE_BATCH})
        returning 1`,
      SLOW,
    )
    if (deleted.length < DELETE_BATCH) break
  }
  await forgetAll(database, stream)
}
