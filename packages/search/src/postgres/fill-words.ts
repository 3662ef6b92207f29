import { type Database, type Queries, sql } from '@platform/database'
import { vectorOf } from './append.ts'

const SLOW = { timeoutMs: 60_000 }
const STEP = 1000

/**
 * Makes the words of documents that were appended before words were kept. Any number of processes may call it at
 * once.
 */
export async function fillWords(database: Database): Promise<void> {
  for (;;) {
    const filled = await database.transaction(fillSome, SLOW)
    if (filled < STEP) return
  }
}

async function fillSome(tx: Queries): Promise<number> {
  // Whoever opens the log meanwhile waits until all words are there.
  await tx.many(sql`select pg_advisory_xact_lock(hashtextextended('words of search.documents', 0))`)
  const rows = await tx.many<{ id: string; document: unknown }>(sql`
    select id, document from search.documents where words is null order by id limit ${STEP}`)
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  const words = rows.map(({ document }) => vectorOf(document))
  await tx.many(sql`
    update search.documents set words = input.words::tsvector
    from unnest(${ids}::uuid[], ${words}::text[]) as input (id, words)
    where documents.id = input.id and documents.id = any(${ids}::uuid[])`)
  return rows.length
}
