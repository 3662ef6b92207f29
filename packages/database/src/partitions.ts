import { lowestUuidv7, triedAgain } from '@platform/kernel'
import type { Database, Queries } from './database.ts'
import { DatabaseError } from './database-error.ts'
import { raw, type Sql, sql } from './sql.ts'

/** A span of time of a table that is partitioned by UUIDv7: its name and the lowest ids of it and of the next one. */
export interface Partition {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** A partitioned table. All of it is the program's own text, never a caller's. */
export interface PartitionedTable {
  /** Schema-qualified, for example `outbox.events`; its default partition is `<table>_default`. */
  readonly table: string
  /** The column it is partitioned by; `id` without it. */
  readonly key?: string
  /** What moves from the default partition, where not all columns can be written; all of them without it. */
  readonly columns?: string
  /** Storage parameters of each partition, for example `fillfactor = 50`. */
  readonly storage?: string
}

/**
 * Storage parameter of a table whose rows are many and rarely larger than a page: PostgreSQL stores them as they are.
 * Else it makes each that is over 2 KB smaller, which takes longer than storing it.
 */
export const ROWS_OF_A_PAGE = 'toast_tuple_target = 8160'

/** Far from any request: attaching waits for a short lock on the table. */
const SLOW = { timeoutMs: 30_000 }
/**
 * All who use the table wait behind us for as long as we wait for a lock on it, and readers of the outbox for our
 * end.
 */
const QUEUE_MS = 1000
const MOST_TRIES = 10
const PAUSE_MS = 500
/** The lock was not to be had; a row came that belongs to the new partition. */
const PASSING: ReadonlySet<string> = new Set(['55P03', '23514'])

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
  for (const partition of partitions)
    if (!existing.includes(partition.name))
      await inTime(() => database.transaction((tx) => makePartition(tx, partitioned, partition), SLOW))
}

/**
 * The table may be in use for longer than others should queue behind us, and rows may come that were not there when
 * it was asked.
 */
const inTime = <T>(change: () => Promise<T>): Promise<T> =>
  triedAgain(change, {
    tries: MOST_TRIES,
    isPassing: (error) => error instanceof DatabaseError && PASSING.has(String(error.code)),
    pauseMs: () => PAUSE_MS,
  })

const waitShortly = (tx: Queries) => tx.many(raw(`set local lock_timeout = ${QUEUE_MS}`))

async function makePartition(
  tx: Queries,
  partitioned: PartitionedTable,
  { name, from, to }: Partition,
): Promise<void> {
  const { table, key = 'id', storage } = partitioned
  await tx.many(sql`select pg_advisory_xact_lock(hashtextextended(${`partitions of ${table}`}, 0))`)
  if ((await listPartitions(tx, table)).includes(name)) return
  await waitShortly(tx)
  const own = `${table.slice(0, table.indexOf('.'))}.${name}`
  const strays = raw(`${table}_default where ${key} >= '${from}' and ${key} < '${to}'`)
  const [stray] = await tx.many(sql`select 1 as found from ${strays} limit 1`)
  // No statement may run while rows move: one that was planned before looks into the default partition alone, and as
  // that is afterwards, so it would find nothing.
  if (stray !== undefined) await tx.many(raw(`lock table only ${table} in access exclusive mode`))
  const parameters = storage === undefined ? '' : ` with (${storage})`
  await tx.many(raw(`create table ${own} (like ${table} including all)${parameters}`))
  if (stray !== undefined) await moveStrays(tx, partitioned, strays, own)
  await tx.many(raw(`alter table ${table} attach partition ${own} for values from ('${from}') to ('${to}')`))
}

/** Rows that went to the default partition meanwhile move in before it is attached. */
async function moveStrays(
  tx: Queries,
  { columns = '*' }: PartitionedTable,
  strays: Sql,
  own: string,
): Promise<void> {
  const target = columns === '*' ? own : `${own} (${columns})`
  await tx.many(sql`with strays as (delete from ${strays} returning ${raw(columns)})
    insert into ${raw(target)} select ${raw(columns)} from strays`)
}

/**
 * Drops a partition unless `isNeeded` finds a reason not to. Asked and dropped under one lock, so that no row can be
 * added in between. Returns whether it was dropped.
 */
export const dropPartition = (
  database: Database,
  { table }: PartitionedTable,
  name: string,
  isNeeded: (tx: Queries) => Promise<boolean>,
): Promise<boolean> =>
  inTime(() =>
    database.transaction(async (tx) => {
      await waitShortly(tx)
      await tx.many(raw(`lock table only ${table} in access exclusive mode`))
      if (!(await listPartitions(tx, table)).includes(name) || (await isNeeded(tx))) return false
      await tx.many(raw(`drop table ${table.slice(0, table.indexOf('.'))}.${name}`))
      return true
    }, SLOW),
  )
