import { type Database, type Queries, type Sql, sql, vectorArray } from '@platform/database'
import { vectorOf } from './search-vector.ts'

const SLOW = { timeoutMs: 60_000 }
const STEP = 1000

/**
 * Makes the words of documents that were appended before words were stored; all are there when it resolves. Any number
 * of processes may call it at once.
 */
export async function fillWords(database: Database): Promise<void> {
  for (;;) {
    const documents = await database.many<Filling>(
      sql`select id, document from search.documents where words is null order by id limit ${STEP}`,
      SLOW,
    )
    if (documents.length > 0) await fill(database, documents)
    if (documents.length < STEP) return
  }
}

/** A document that has no words yet. */
export interface Filling {
  readonly id: string
  readonly document: unknown
}

/** The words are worked out before the transaction, which is then over after two statements. */
async function fill(database: Database, documents: readonly Filling[]): Promise<void> {
  const filled = fillingOf(documents)
  await database.transaction(async (tx) => {
    // One process at a time: two that fill the same documents would wait for each other in a circle.
    const locked = tx.many(
      sql`select pg_advisory_xact_lock(hashtextextended('words of search.documents', 0))`,
    )
    await Promise.all([locked, tx.many(filled)])
  }, SLOW)
}

/** The same of documents that this transaction has appended. */
export async function fillWithin(tx: Queries, documents: readonly Filling[]): Promise<void> {
  await tx.many(fillingOf(documents))
}

function fillingOf(documents: readonly Filling[]): Sql {
  const ids = documents.map(({ id }) => id)
  const words = vectorArray(documents.map(({ document }) => vectorOf(document)))
  return sql`
    update search.documents set words = input.words
    from unnest(${ids}::uuid[], ${words}::tsvector[]) as input (id, words)
    where documents.id = input.id and documents.id = any(${ids}::uuid[]) and documents.words is null`
}
