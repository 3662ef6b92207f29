import { type Clock, DAY_MS, HOUR_MS, lowestUuidv7 } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { PartitionStore, WeeklyTable } from './partition-store.ts'

/** A week of a table: its partition and the range of its ids. */
interface Partition {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** Longest a journal is kept after its run has ended: only runs under way need theirs. */
const JOURNAL_DAYS = 7

/** Makes the weeks to come ahead of time and drops those that are over. Any instance may run it. */
export const keepPartitions = (deps: {
  partitions: Readonly<Record<WeeklyTable, PartitionStore>>
  clock: Clock
  retentionDays: number
}): Job => ({
  name: 'keep-run-partitions',
  everyMs: HOUR_MS,
  requiredAtStart: true,
  async run() {
    const { partitions, retentionDays } = deps
    const now = deps.clock.now()
    await keepTable('runs', partitions.runs, now, retentionDays)
    await keepTable('journal', partitions.journal, now, Math.min(retentionDays, JOURNAL_DAYS))
  },
})

async function keepTable(
  table: WeeklyTable,
  partitions: PartitionStore,
  now: Date,
  retentionDays: number,
): Promise<void> {
  await partitions.create(...neededPartitions(now, table))
  for (const partition of expiredPartitions(table, await partitions.list(), now, retentionDays))
    await partitions.dropUnlessBusy(partition)
}

const WEEK_MS = 7 * DAY_MS

/** The weeks that must be there: the last one, this one and the next two. */
export function neededPartitions(now: Date, table: WeeklyTable = 'runs'): Partition[] {
  const week = Math.floor(now.getTime() / WEEK_MS)
  return [week - 1, week, week + 1, week + 2].map((one) => weekOf(table, one))
}

/** Those of the given partitions whose runs are all older than `retentionDays`. */
function expiredPartitions(
  table: WeeklyTable,
  names: readonly string[],
  now: Date,
  retentionDays: number,
): Partition[] {
  const oldestKept = now.getTime() - retentionDays * DAY_MS
  return names.flatMap((name) => {
    const week = Number(/^[a-z]+_w(\d{5})$/.exec(name)?.[1] ?? Number.NaN)
    return (week + 1) * WEEK_MS <= oldestKept ? [weekOf(table, week)] : []
  })
}

const weekOf = (table: WeeklyTable, week: number): Partition => ({
  name: `${table}_w${String(week).padStart(5, '0')}`,
  from: lowestUuidv7(week * WEEK_MS),
  to: lowestUuidv7((week + 1) * WEEK_MS),
})
