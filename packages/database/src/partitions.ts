import { lowestUuidv7 } from '@platform/kernel'
import type { Database, Queries } from './database.ts'
import { raw, sql } from './sql.ts'

/** A stretch of time of a table that is partitioned by UUIDv7: its name and the lowest ids of it and of the next one. */
export interface Partition {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** A partitioned table. All of it is the program's own text, never anybody's. */
export interface PartitionedTable {
  /** Schema-qualified, for example `outbox.events`; its default partition is `<table>_default`. */
  readonly table: string
  /** What moves from the default partition, where not all columns can be written; all of them without it. */
  readonly columns?: string
}

/** Far from any request: attaching waits for a short lock on the table. */
const SLOW = { timeoutMs: 30_000 }

/** The partition that holds the ids from one instant to another, in Unix milliseconds. */
export const partitionOf = (name: string, fromMs: number, toMs: number): Partition => ({
  name,
  from: lowestUuidv7(fromMs),
  to: lowestUuidv7(toMs),
})

/** Names of the partitions of a table, without the schema. */
export async function listPartitions(queries: Queries, table: string): Promise<string[]> {
  const rows = await queries.many<{ name: string }>(sql`
    select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid
    where inhparent = ${table}::regclass order by 1`)
  return rows.map(({ name }) => name)
}

/** Makes those of the partitions that are missing. Any number of processes may call it at once. */
export async function makePartitions(
  database: Database,
  partitioned: PartitionedTable,
  partitions: readonly Partition[],
): Promise<void> {
  const existing = await listPartitions(database, partitioned.table)
  for (const partition of partitions) {
    if (existing.includes(partition.name)) continue
    await database.transaction((tx) => makePartition(tx, partitioned, partition), SLOW)
  }
}

/** Rows that went to the default partition meanwhile move in before it is attached. */
async function makePartition(
  tx: Queries,
  { table, columns = '*' }: PartitionedTable,
  { name, from, to }: Partition,
): Promise<void> {
  await tx.many(sql`select pg_advisory_xact_lock(hashtextextended(${`partitions of ${table}`}, 0))`)
  if ((await listPartitions(tx, table)).includes(name)) return
  const schema = table.slice(0, table.indexOf('.'))
  const target = columns === '*' ? `${schema}.${name}` : `${schema}.${name} (${columns})`
  await tx.many(raw(`create table ${schema}.${name} (like ${table} including all)`))
  await tx.many(
    raw(`with strays as (delete from ${table}_default where id >= '${from}' and id < '${to}' returning ${columns})
      insert into ${target} select ${columns} from strays`),
  )
  await tx.many(
    raw(`alter table ${table} attach partition ${schema}.${name} for values from ('${from}') to ('${to}')`),
  )
}

/**
 * Drops a partition unless `isKept` finds a reason not to. Asked and dropped under one lock: whoever is adding a row has finished,
 * and nobody adds one in between. Answers whether it was dropped.
 */
export const dropPartition = (
  database: Database,
  { table }: PartitionedTable,
  name: string,
  isKept: (tx: Queries) => Promise<boolean>,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    await tx.many(raw(`lock table only ${table} in access exclusive mode`))
    if (!(await listPartitions(tx, table)).includes(name) || (await isKept(tx))) return false
    await tx.many(raw(`drop table ${table.slice(0, table.indexOf('.'))}.${name}`))
    return true
  }, SLOW)
