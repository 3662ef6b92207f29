import { type Database, type Queries, raw, sql } from '@platform/database'
import { DAY_MS, HOUR_MS } from '@platform/kernel'

const AHEAD_DAYS = 3
const PARTITION = /^events_(\d{4})(\d{2})(\d{2})$/
/** Far from any request: attaching waits for a short lock on the table. */
const SLOW = { timeoutMs: 20_000 }

/**
 * Makes the partitions of the log for yesterday, today and the next three days, as far as they are missing. Called at every
 * opening and once a day; any number of processes may call it at once.
 */
export async function ensurePartitions(database: Database, now: Date): Promise<void> {
  const days = Array.from({ length: AHEAD_DAYS + 2 }, (_, index) => startOfDay(now) + (index - 1) * DAY_MS)
  const existing = await listPartitions(database)
  const missing = days.filter((day) => !existing.includes(nameOf(day)))
  for (const day of missing) await database.transaction((tx) => makePartition(tx, day), SLOW)
}

/**
 * Drops the partitions whose events are all older than `retentionHours` and behind every reader of the log; a reader that lags
 * keeps them. Answers the names of what it dropped.
 */
export async function dropOldPartitions(
  database: Database,
  now: Date,
  retentionHours = 72,
): Promise<string[]> {
  const oldestKept = now.getTime() - retentionHours * HOUR_MS
  const old = (await listPartitions(database)).filter((name) => endOf(name) <= oldestKept)
  const dropped: string[] = []
  for (const name of old) if (await dropIfRead(database, name)) dropped.push(name)
  await deleteReadStrays(database, lowestId(oldestKept))
  return dropped
}

const startOfDay = (now: Date): number => Math.floor(now.getTime() / DAY_MS) * DAY_MS
const nameOf = (day: number): string =>
  `events_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`

function endOf(partition: string): number {
  const [, year, month, day] = PARTITION.exec(partition) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS
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
    where inhparent = 'outbox.events'::regclass order by 1`)
  return rows.map(({ name }) => name).filter((name) => PARTITION.test(name))
}

/** Events that went to the default partition meanwhile move in before it is attached. */
async function makePartition(tx: Queries, day: number): Promise<void> {
  await tx.many(sql`select pg_advisory_xact_lock(hashtextextended('outbox partitions', 0))`)
  const name = nameOf(day)
  if ((await listPartitions(tx)).includes(name)) return
  const [from, to] = [lowestId(day), lowestId(day + DAY_MS)]
  await tx.many(raw(`create table outbox.${name} (like outbox.events including all)`))
  await tx.many(
    raw(`with strays as (delete from outbox.events_default where id >= '${from}' and id < '${to}' returning *)
      insert into outbox.${name} select * from strays`),
  )
  await tx.many(
    raw(`alter table outbox.events attach partition outbox.${name} for values from ('${from}') to ('${to}')`),
  )
}

/** Asked and dropped under one lock: a derived id may be as old as its cause, so even old partitions still receive events. */
const dropIfRead = (database: Database, name: string): Promise<boolean> =>
  database.transaction(async (tx) => {
    await tx.many(sql`lock table only outbox.events in access exclusive mode`)
    if (!(await listPartitions(tx)).includes(name)) return false
    const [unread] = await tx.many(
      raw(`select 1 from outbox.consumers c where exists (
        select 1 from outbox.${name} e where (e.xid, e.position) > (c.xid, c.position)) limit 1`),
    )
    if (unread !== undefined) return false
    await tx.many(raw(`drop table outbox.${name}`))
    return true
  }, SLOW)

/** What was written with an id older than any partition. */
async function deleteReadStrays(database: Database, before: string): Promise<void> {
  await database.many(
    sql`
      delete from outbox.events_default e where e.id < ${before}::uuid and not exists (
        select 1 from outbox.consumers c where (e.xid, e.position) > (c.xid, c.position))`,
    SLOW,
  )
}
