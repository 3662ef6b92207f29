import {
  type Database,
  dropPartition,
  listPartitions,
  makePartitions,
  partitionOf,
  raw,
  sql,
} from '@platform/database'
import { DAY_MS } from '@platform/kernel'

const tables = [
  { name: 'deliveries', table: 'events.deliveries', time: 'created_at' },
  { name: 'delivery_tries', table: 'events.delivery_tries', time: 'at' },
]
const STRAYS = 5000
const SLOW = { timeoutMs: 30_000 }

export type DeliveryPartitionStore = ReturnType<typeof deliveryPartitionStore>

/**
 * The partitions of deliveries and tries, one a week. Names and bounds come from numbers, never from anybody's text.
 */
export const deliveryPartitionStore = (database: Database) => ({
  async make(now: Date): Promise<void> {
    for (const { name, table } of tables) {
      const weeks = neededWeeks(name, now).map((week) => partitionOf(week.name, week.fromMs, week.toMs))
      await makePartitions(database, { table }, weeks)
    }
  },

  async drop(now: Date): Promise<void> {
    for (const { table } of tables)
      for (const name of expiredWeeks(await listPartitions(database, table), now))
        await dropPartition(database, { table }, name, async () => false)
  },

  /** What fell outside of all weeks, for example replays of old events. */
  async dropStrays(now: Date): Promise<void> {
    const before = new Date(now.getTime() - KEPT_MS)
    for (const { table, time } of tables)
      await database.many(
        sql`delete from ${raw(`${table}_default`)} where id in (
          select id from ${raw(`${table}_default`)} where ${raw(time)} < ${before} limit ${STRAYS})`,
        SLOW,
      )
  },
})

const WEEK_MS = 7 * DAY_MS
/** Deliveries and their tries are stored this long. */
const KEPT_MS = 30 * DAY_MS

/** A week of a table. */
interface Week {
  name: string
  fromMs: number
  toMs: number
}

/** The weeks of a table that must be there: the last one, this one and the next two. */
export function neededWeeks(prefix: string, now: Date): Week[] {
  const week = Math.floor(now.getTime() / WEEK_MS)
  return [week - 1, week, week + 1, week + 2].map((number) => ({
    name: `${prefix}_w${String(number).padStart(5, '0')}`,
    fromMs: number * WEEK_MS,
    toMs: (number + 1) * WEEK_MS,
  }))
}

/** Those of a table's partitions in which everything is older than it is stored. */
export const expiredWeeks = (names: readonly string[], now: Date): string[] =>
  names.filter((name) => {
    const week = Number(/_w(\d{5})$/.exec(name)?.[1] ?? Number.NaN)
    return (week + 1) * WEEK_MS <= now.getTime() - KEPT_MS
  })
