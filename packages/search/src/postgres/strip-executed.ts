import { type Database, type Sql, sql, vectorArray } from '@platform/database'
import { lowestUuidv7 } from '@platform/kernel'
import { vectorOf } from './search-vector.ts'

const SLOW = { timeoutMs: 60_000 }
const STEP = 500

interface Stripped {
  id: string
  document: Record<string, unknown>
}

/**
 * Removes `payload.payload` and `payload.output` of executions older than `before`, a few at a time; returns how many
 * had one. Any number of processes may call it at once.
 */
export async function stripExecuted(database: Database, before: Date, limit: number): Promise<number> {
  let stripped = 0
  while (stripped < limit) {
    const step = Math.min(STEP, limit - stripped)
    const documents = await database.many<Stripped>(
      sql`
        select id, ${STRIPPED} as document from search.documents
        where ${IS_WHOLE} and id < ${lowestUuidv7(before.getTime())}::uuid order by id limit ${step}`,
      SLOW,
    )
    stripped += await replace(database, documents)
    if (documents.length < step) break
  }
  return stripped
}

const STRIPPED: Sql = sql`document #- '{payload,payload}' #- '{payload,output}'`

/** The condition of the index `documents_unstripped`: what is stripped leaves it. */
const IS_WHOLE: Sql = sql`type = 'runtime.automations.executed' and document->'payload' ?| array['payload', 'output']`

/**
 * The words are worked out before the transaction, which is then over after two statements. A document changes in no
 * other way, so they are right; another process may have stripped it meanwhile, which is not counted.
 */
async function replace(database: Database, documents: readonly Stripped[]): Promise<number> {
  if (documents.length === 0) return 0
  const ids = documents.map(({ id }) => id)
  const words = vectorArray(documents.map(({ document }) => vectorOf(document)))
  return await database.transaction(async (tx) => {
    // In one order, so that two processes that strip the same documents never wait for each other in a circle.
    const locked = tx.many(sql`
      select 1 from search.documents where id = any(${ids}::uuid[]) order by id for update`)
    const stripped = tx.many(sql`
      update search.documents set document = ${STRIPPED}, words = input.words, vocabulary = null
      from unnest(${ids}::uuid[], ${words}::tsvector[]) as input (id, words)
      where documents.id = input.id and documents.id = any(${ids}::uuid[]) and ${IS_WHOLE}
      returning 1`)
    const [, rows] = await Promise.all([locked, stripped])
    return rows.length
  }, SLOW)
}
