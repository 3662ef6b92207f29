import { type Database, type Queries, raw, sql } from '@platform/database'

const AHEAD_MONTHS = 2
/** Far from any request: attaching waits for a short lock on the table. */
const SLOW = { timeoutMs: 30_000 }

interface Month {
  name: string
  /** The lowest id of this month and of the next. */
  from: string
  to: string
}

/**
 * Makes the partitions of the documents for this month and the next two, as far as they are missing. Called at every opening and
 * once a day; any number of processes may call it at once.
 */
export async function ensurePartitions(database: Database, now: Date): Promise<void> {
  const existing = await listPartitions(database)
  const months = Array.from({ length: AHEAD_MONTHS + 1 }, (_, index) => monthOf(now, index))
  for (const month of months) {
    if (!existing.includes(month.name)) await database.transaction((tx) => makePartition(tx, month), SLOW)
  }
}

function monthOf(now: Date, ahead: number): Month {
  const startOf = (months: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)
  const name = `documents_${new Date(startOf(ahead)).toISOString().slice(0, 7).replace('-', '')}`
  return { name, from: lowestId(startOf(ahead)), to: lowestId(startOf(ahead + 1)) }
}

/** The lowest UUIDv7 of an instant. */
function lowestId(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

async function listPartitions(queries: Queries): Promise<string[]> {
  const rows = await queries.many<{ name: string }>(sql`
    select child.relname as name from pg_inherits
    join pg_class child on child.oid = inhrelid
    where inhparent = 'search.documents'::regclass`)
  return rows.map(({ name }) => name)
}

/** Documents that went to the default partition meanwhile move in before it is attached. */
async function makePartition(tx: Queries, { name, from, to }: Month): Promise<void> {
  await tx.many(sql`select pg_advisory_xact_lock(hashtextextended('search partitions', 0))`)
  if ((await listPartitions(tx)).includes(name)) return
  await tx.many(raw(`create table search.${name} (like search.documents including all)`))
  await tx.many(
    raw(`with strays as (
        delete from search.documents_default where id >= '${from}' and id < '${to}' returning id, sequence, stream, document)
      insert into search.${name} (id, sequence, stream, document) select id, sequence, stream, document from strays`),
  )
  await tx.many(
    raw(
      `alter table search.documents attach partition search.${name} for values from ('${from}') to ('${to}')`,
    ),
  )
}
