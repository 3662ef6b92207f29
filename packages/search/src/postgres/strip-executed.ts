import { type Database, type Queries, sql } from '@platform/database'
import { lowestUuidv7 } from '@platform/kernel'
import { vectorOf } from './append.ts'

const SLOW = { timeoutMs: 60_000 }
const STEP = 500

interface Row {
  id: string
  document: Record<string, unknown>
}

/**
 * Removes `payload.payload` and `payload.output` of executions older than `before`, a few at a time; answers how many
 * had one.
 */
export async function stripExecuted(database: Database, before: Date, limit: number): Promise<number> {
  let stripped = 0
  while (stripped < limit) {
    const step = Math.min(STEP, limit - stripped)
    const done = await database.transaction((tx) => stripSome(tx, before, step), SLOW)
    stripped += done
    if (done < step) break
  }
  return stripped
}

/** The condition is that of the index `documents_unstripped`: what is stripped leaves it. */
async function stripSome(tx: Queries, before: Date, limit: number): Promise<number> {
  const rows = await tx.many<Row>(sql`
    select id, document #- '{payload,payload}' #- '{payload,output}' as document from search.documents
    where type = 'runtime.automations.executed' and document->'payload' ?| array['payload', 'output']
      and id < ${lowestUuidv7(before.getTime())}::uuid
    order by id limit ${limit} for update`)
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  const words = rows.map(({ document }) => vectorOf(document))
  await tx.many(sql`
    update search.documents set
      document = document #- '{payload,payload}' #- '{payload,output}', words = input.words::tsvector
    from unnest(${ids}::uuid[], ${words}::text[]) as input (id, words)
    where documents.id = input.id and documents.id = any(${ids}::uuid[])`)
  return rows.length
}
