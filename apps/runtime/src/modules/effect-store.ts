import { type Database, empty, isUniqueViolation, type Queries, type Sql, sql } from '@platform/database'
import { storableJson } from '../contexts/storable.ts'

/** A write in the name of a run. */
export interface WrittenEffect {
  /** The same when the run is done again. */
  readonly key: string
  /** False for runs that are never done again: nothing is kept of their writes. */
  readonly mayRepeat: boolean
  readonly runId: string
}

/** What was answered for a write that is there already. */
export async function findEffect(
  tx: Queries,
  { key, mayRepeat }: WrittenEffect,
): Promise<{ answer: unknown } | undefined> {
  if (!mayRepeat) return undefined
  const [row] = await tx.many<{ answer: unknown }>(
    sql`select answer from runtime.module_effects where id = ${key}`,
  )
  return row
}

/**
 * Writes in one transaction and keeps the answer in it: done again, it answers that and writes nothing.
 */
export async function writeOnce<T>(
  database: Database,
  effect: WrittenEffect,
  work: (tx: Queries) => Promise<T>,
  options: { readonly timeoutMs?: number } = {},
): Promise<T> {
  const write = () =>
    database.transaction(async (tx) => {
      const before = await findEffect(tx, effect)
      if (before !== undefined) return before.answer as T
      const answer = await work(tx)
      if (effect.mayRepeat) await tx.many(insertEffect(effect, answer))
      return answer
    }, options)
  try {
    return await write()
  } catch (error) {
    // Another process did the same at the same moment: its answer counts.
    if (!effect.mayRepeat || !isUniqueViolation(error)) throw error
    return await write()
  }
}

/** Keeps what was answered for a write; `source` is a `from` that may answer no row, and then nothing is kept. */
export const insertEffect = ({ key, runId }: WrittenEffect, answer: unknown, source: Sql = empty): Sql => sql`
  insert into runtime.module_effects (id, run_id, answer)
  select ${key}, ${runId}::uuid, ${storableJson(answer ?? null)}::json ${source}`

/** Forgets writes of runs that have ended. Answers how many. */
export async function deleteEffects(queries: Queries, limit: number): Promise<number> {
  const rows = await queries.many(sql`
    delete from runtime.module_effects where id in (
      select e.id from runtime.module_effects e
      where e.created_at < now() - interval '1 hour' and not exists (
        select from runtime.runs r where r.id = e.run_id and r.status in ('queued', 'running', 'waiting'))
      order by e.created_at limit ${limit} for update skip locked)
    returning 1`)
  return rows.length
}
