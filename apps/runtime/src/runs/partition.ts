import { DAY_MS, lowestUuidv7 } from '@platform/kernel'

/** A week of runs: its table and the ids it holds. */
export interface Partition {
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
export function expiredPartitions(names: readonly string[], now: Date, retentionDays: number): string[] {
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
