import { type Database, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { insert } from './append.ts'

/**
 * Written and deleted in one transaction, in a stream no workspace can have: a check that dies between leaves nothing
 * behind, and a sequence that nobody can see needs no lock.
 */
export async function probe(database: Database, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const id = uuidv7()
  await database.transaction(async (tx) => {
    await insert(tx, [{ stream: `readiness-probe-${id}`, id, document: { type: 'probe' } }])
    await tx.many(sql`delete from search.documents where id = ${id}::uuid`)
  })
}
