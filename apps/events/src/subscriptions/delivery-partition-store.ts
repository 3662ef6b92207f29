import {
  type Database,
  dropPartition,
  listPartitions,
  makePartitions,
  partitionOf,
  raw,
  sql,
} from '@platform/database'
import { expiredWeeks, KEPT_MS, neededWeeks } from './delivery-partitions.ts'

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
