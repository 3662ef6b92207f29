import {
  type Database,
  dropPartition,
  listPartitions,
  makePartitions,
  partitionOf,
  ROWS_OF_A_PAGE,
  raw,
  sql,
} from '@platform/database'
import { DAY_MS, HOUR_MS, lowestUuidv7 } from '@platform/kernel'

const AHEAD_DAYS = 3
const PARTITION = /^events_(\d{4})(\d{2})(\d{2})$/
const events = { table: 'outbox.events', storage: ROWS_OF_A_PAGE }
/** Far from any request. */
const SLOW = { timeoutMs: 20_000 }

/**
 * Makes the partitions of the log for yesterday, today and the next three days, as far as they are missing. Called at
 * every opening and once a day; any number of processes may call it at once.
 */
export async function ensurePartitions(database: Database, now: Date): Promise<void> {
  const days = Array.from({ length: AHEAD_DAYS + 2 }, (_, index) => startOfDay(now) + (index - 1) * DAY_MS)
  const partitions = days.map((day) => partitionOf(nameOf(day), day, day + DAY_MS))
  await makePartitions(database, events, partitions)
}

/**
 * Drops the partitions whose events are all older than `retentionHours` and behind every reader of the log; a reader
 * that lags keeps them. Returns the names of what it dropped.
 */
export async function dropOldPartitions(
  database: Database,
  now: Date,
  retentionHours = 72,
): Promise<string[]> {
  const oldestKept = now.getTime() - retentionHours * HOUR_MS
  const old = (await listPartitions(database, events.table)).filter(
    (name) => PARTITION.test(name) && endOf(name) <= oldestKept,
  )
  const dropped: string[] = []
  for (const name of old) if (await dropIfRead(database, name)) dropped.push(name)
  await deleteReadStrays(database, lowestUuidv7(oldestKept))
  return dropped
}

const startOfDay = (now: Date): number => Math.floor(now.getTime() / DAY_MS) * DAY_MS
const nameOf = (day: number): string =>
  `events_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`

function endOf(partition: string): number {
  const [, year, month, day] = PARTITION.exec(partition) ?? []
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS
}

/** A derived id may be as old as its cause, so even old partitions still receive events. */
const dropIfRead = (database: Database, name: string): Promise<boolean> =>
  dropPartition(database, events, name, async (tx) => {
    const [unread] = await tx.many(
      raw(`select 1 from outbox.consumers c where exists (
        select 1 from outbox.${name} e where (e.xid, e.position) > (c.xid, c.position)) limit 1`),
    )
    return unread !== undefined
  })

/** What was written with an id older than any partition. */
async function deleteReadStrays(database: Database, before: string): Promise<void> {
  await database.many(
    sql`
      delete from outbox.events_default e where e.id < ${before}::uuid and not exists (
        select 1 from outbox.consumers c where (e.xid, e.position) > (c.xid, c.position))`,
    SLOW,
  )
}
