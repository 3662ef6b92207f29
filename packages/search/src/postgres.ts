import { type Database, empty, migrate, type Queries, type Sql, sql } from '@platform/database'
import { StoreError, uuidv7 } from '@platform/kernel'
import { toSql } from './filter-to-sql.ts'
import { ensurePartitions } from './partitions.ts'
import type { Search, SearchQuery, StreamDocument } from './search.ts'
import { SearchError } from './search-error.ts'

/** How long opening waits for a PostgreSQL that isn't there yet. */
const DATABASE_WAIT_MS = 60_000
/** A rare filter reads much of a stream. */
const FIND_MS = 5000
const DELETE_BATCH = 5000

/** Documents in a partitioned table of PostgreSQL, found by their own order and a few indexed fields. */
export async function openPostgresSearch(database: Database): Promise<Search> {
  await migrate(database, 'search', new URL('../migrations/', import.meta.url), { waitMs: DATABASE_WAIT_MS })
  await ensurePartitions(database, new Date())
  return {
    driver: 'postgres',
    append: (documents) => asSearchErrors(() => append(database, documents)),
    find: (stream, query) => asSearchErrors(() => find(database, stream, query)),
    deleteStream: (stream) => asSearchErrors(() => deleteStream(database, stream)),
    probe: (signal) => asSearchErrors(() => probe(database, signal)),
    // The database belongs to whoever opened it.
    [Symbol.asyncDispose]: async () => {},
  }
}

async function append(database: Queries, documents: readonly StreamDocument[]): Promise<void> {
  if (documents.length === 0) return
  const ids = documents.map(({ id }) => id)
  const streams = documents.map(({ stream }) => stream)
  const texts = documents.map(({ document }) => JSON.stringify(document))
  await database.many(sql`
    insert into search.documents (id, stream, document)
    select input.id, input.stream, input.document::jsonb
    from unnest(${ids}::uuid[], ${streams}::text[], ${texts}::text[]) as input (id, stream, document)
    on conflict (id) do nothing`)
}

async function find(
  database: Database,
  stream: string,
  query: SearchQuery,
): Promise<Record<string, unknown>[]> {
  const { filter, sort, limit, page = 0, beforeId, afterId } = query
  const rows = await database.many<{ document: Record<string, unknown> }>(
    sql`
      select document from search.documents
      where stream = ${stream}
        ${filter === undefined ? empty : sql`and (${toSql(filter)})`}
        ${beforeId === undefined ? empty : sql`and sequence < ${sequenceOf(stream, beforeId, sql`sequence + 1`)}`}
        ${afterId === undefined ? empty : sql`and sequence > ${sequenceOf(stream, afterId, sql`sequence`)}`}
      order by sequence ${sort === 'asc' ? sql`asc` : sql`desc`}
      limit ${limit} offset ${page * limit}`,
    { timeoutMs: FIND_MS },
  )
  return rows.map(({ document }) => document)
}

/** The place of a document; of one that isn't there (any more), the place where its time would have put it. */
const sequenceOf = (stream: string, id: string, whereOlder: Sql): Sql => sql`coalesce(
    (select sequence from search.documents where id = ${id}::uuid and stream = ${stream}),
    (select ${whereOlder} from search.documents where stream = ${stream} and id < ${id}::uuid
      order by sequence desc limit 1),
    0)`

/** In steps, so that a large stream holds no lock for long. */
async function deleteStream(database: Database, stream: string): Promise<void> {
  for (;;) {
    const deleted = await database.many(
      sql`
        delete from search.documents where id in (
          select id from search.documents where stream = ${stream} limit ${DELETE_BATCH})
        returning 1`,
      { timeoutMs: 30_000 },
    )
    if (deleted.length < DELETE_BATCH) return
  }
}

/** Written and deleted in one transaction, in a stream no workspace can have: a check that dies between leaves nothing behind. */
async function probe(database: Database, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const id = uuidv7()
  await database.transaction(async (tx) => {
    await append(tx, [{ stream: `readiness-probe-${id}`, id, document: { type: 'probe' } }])
    await tx.many(sql`delete from search.documents where id = ${id}::uuid`)
  })
}

async function asSearchErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const { message, unavailable, code } = error
    throw new SearchError(message, { cause: error, unavailable, code })
  }
}
