import { type Database, type Queries, raw, sql } from '@platform/database'
import type { Partition } from './partition.ts'

export type PartitionStore = ReturnType<typeof partitionStore>

/** Far from any request: attaching waits for a short lock on the table. */
const SLOW = { timeoutMs: 20_000 }

/** The partitions of the table of runs. Their names and bounds come from numbers, never from anybody's text. */
export const partitionStore = (database: Database) => ({
  list: (): Promise<string[]> => listPartitions(database),

  /** Runs that went to the default partition meanwhile move in before it is attached. Does nothing when another instance was first. */
  create: ({ name, from, to }: Partition): Promise<void> =>
    database.transaction(async (tx) => {
      await tx.many(sql`select pg_advisory_xact_lock(hashtextextended('runtime partitions', 0))`)
      if ((await listPartitions(tx)).includes(name)) return
      await tx.many(raw(`create table runtime.${name} (like runtime.runs including all)`))
      await tx.many(
        raw(`with strays as (delete from runtime.runs_default where id >= '${from}' and id < '${to}' returning *)
          insert into runtime.${name} select * from strays`),
      )
      await tx.many(
        raw(
          `alter table runtime.runs attach partition runtime.${name} for values from ('${from}') to ('${to}')`,
        ),
      )
    }, SLOW),

  /** Keeps a partition in which something is still to be done. */
  dropUnlessBusy: ({ name }: Pick<Partition, 'name'>): Promise<boolean> =>
    database.transaction(async (tx) => {
      // Whoever is adding a run has finished, and nobody adds one between the question and the drop.
      await tx.many(sql`lock table only runtime.runs in access exclusive mode`)
      if (!(await listPartitions(tx)).includes(name)) return false
      const [busy] = await tx.many(
        raw(`select 1 from runtime.${name} where status in ('queued', 'running', 'waiting') limit 1`),
      )
      if (busy !== undefined) return false
      await tx.many(raw(`drop table runtime.${name}`))
      return true
    }, SLOW),
})

async function listPartitions(queries: Queries): Promise<string[]> {
  const rows = await queries.many<{ name: string }>(sql`
    select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid
    where inhparent = 'runtime.runs'::regclass order by 1`)
  return rows.map(({ name }) => name)
}
