import { type CronTimes, cronTimes, isTimeZone, leastGapMinutes, readCron } from '@platform/cron'
import { atMost } from '@platform/kernel'
import { LRUCache } from 'lru-cache'
import type { Schedule } from './schedule.ts'

/** When a schedule fires: the cron and its time zone. */
export type Timing = Pick<Schedule, 'cron' | 'timezone'>

const MAX_TIMINGS = 1000
const MAX_TIMES = 10_000

/** The times of schedules. Computing one takes about 0.1 ms, so that of many equal schedules is computed once. */
export class ScheduleTimes {
  readonly #timings = new LRUCache<string, { readonly times: CronTimes | undefined }>(atMost(MAX_TIMINGS))
  readonly #next = new LRUCache<string, { readonly time: Date | undefined }>(atMost(MAX_TIMES))

  /** The first time after an instant; undefined when there is none. */
  next(timing: Timing, after: Date): Date | undefined {
    const key = `${after.getTime()} ${keyOf(timing)}`
    let found = this.#next.get(key)
    if (found === undefined) {
      found = { time: this.#timesOf(timing)?.next(after) }
      this.#next.set(key, found)
    }
    return found.time
  }

  /** At most `count` times after an instant, the earliest first. */
  following(timing: Timing, after: Date, count: number): Date[] {
    const found: Date[] = []
    for (let last = after; found.length < count; ) {
      const time = this.next(timing, last)
      if (time === undefined) break
      found.push(time)
      last = time
    }
    return found
  }

  /** The last times from `from` to `to`, both included, the earliest first; at most `count`. */
  latest(timing: Timing, from: Date, to: Date, count: number): Date[] {
    const times = this.#timesOf(timing)
    const found: Date[] = []
    for (let first = new Date(to.getTime() + 1); found.length < count; ) {
      const time = times?.previous(first)
      if (time === undefined || time < from) break
      found.unshift(time)
      first = time
    }
    return found
  }

  /** What can't be read never fires: it was saved before it was checked. */
  #timesOf(timing: Timing): CronTimes | undefined {
    const key = keyOf(timing)
    let found = this.#timings.get(key)
    if (found === undefined) {
      found = { times: timesOf(timing) }
      this.#timings.set(key, found)
    }
    return found.times
  }
}

const keyOf = ({ cron, timezone }: Timing): string => `${timezone} ${cron}`

function timesOf({ cron: text, timezone }: Timing): CronTimes | undefined {
  const cron = readCron(text)
  if (cron === undefined || leastGapMinutes(cron) === undefined || !isTimeZone(timezone)) return undefined
  return cronTimes(cron, timezone)
}
