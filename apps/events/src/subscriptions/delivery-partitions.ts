import { DAY_MS } from '@platform/kernel'

const WEEK_MS = 7 * DAY_MS
/** Deliveries and their tries are kept this long (decisions F6). */
export const KEPT_MS = 30 * DAY_MS

/** A week of a table. */
export interface Week {
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

/** Those of a table's partitions in which everything is older than it is kept. */
export const expiredWeeks = (names: readonly string[], now: Date): string[] =>
  names.filter((name) => {
    const week = Number(/_w(\d{5})$/.exec(name)?.[1] ?? Number.NaN)
    return (week + 1) * WEEK_MS <= now.getTime() - KEPT_MS
  })
