import { type Clock, DAY_MS, HOUR_MS, lowestUuidv7 } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { PartitionStore } from './partition-store.ts'

/** Makes the weeks to come ahead of time and drops those that are over. Any instance may run it. */
export const keepPartitions = (deps: {
  partitions: PartitionStore
  clock: Clock
  retentionDays: number
}): Job => ({
  name: 'keep-run-partitions',
  everyMs: HOUR_MS,
  requiredAtStart: true,
  async run() {
    const now = deps.clock.now()
    await deps.partitions.create(...neededPartitions(now))
    for (const name of expiredPartitions(await deps.partitions.list(), now, deps.retentionDays)) {
      await deps.partitions.dropUnlessBusy({ name })
    }
  },
})

/** A week of runs: its table and the range of its ids. */
interface Partition {
  readonly name: string
  readonly from: string
  readonly to: string
}

const WEEK_MS = 7 * DAY_MS
const NAME = /^runs_w(\d{5})$/

/** The weeks that must be there: the last one, this one and the next two. */
export function neededPartitions(now: Date): Partition[] {
  const week = Math.floor(now.getTime() / WEEK_MS)
  return [week - 1, week, week + 1, week + 2].map(partitionOf)
}

/** Those of the given tables whose runs are all older than `retentionDays`. */
function expiredPartitions(names: readonly string[], now: Date, retentionDays: number): string[] {
  const oldestKept = now.getTime() - retentionDays * DAY_MS
  return names.filter((name) => {
    const week = Number(NAME.exec(name)?.[1] ?? Number.NaN)
    return (week + 1) * WEEK_MS <= oldestKept
  })
}

const partitionOf = (week: number): Partition => ({
  name: `runs_w${String(week).padStart(5, '0')}`,
  from: lowestUuidv7(week * WEEK_MS),
  to: lowestUuidv7((week + 1) * WEEK_MS),
})
