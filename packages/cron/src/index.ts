import { DAY_MS, MINUTE_MS } from '@platform/kernel'
import { Cron as Croner } from 'croner'
import { type Cron, patternOf } from './cron.ts'

export { type Cron, leastGapMinutes, readCron } from './cron.ts'

/** When a cron fires in a time zone. */
export interface CronTimes {
  /** The first time after an instant; undefined when there is none. */
  next(after: Date): Date | undefined
  /** The last time before an instant; undefined when there is none. */
  previous(before: Date): Date | undefined
}

/**
 * With `*` for the hour the times are those the clock shows: what a change of the clock leaves out does not fire, what
 * comes twice fires twice. With hours that are named each time fires once: one that is left out at the first moment
 * after it, one that comes twice at the first. Throws a RangeError for a name that is no time zone.
 */
export function cronTimes(cron: Cron, timeZone: string): CronTimes {
  const isEveryHour = cron.hours.size === 24
  const zone = isEveryHour ? timeZone : 'UTC'
  const croner = new Croner(patternOf(cron), { timezone: zone, paused: true, mode: '5-part' })
  const times: CronTimes = {
    next: (after) => croner.nextRun(after) ?? undefined,
    previous: (before) => croner.previousRuns(1, before)[0],
  }
  return isEveryHour ? times : onTheClock(times, new Clock(timeZone))
}

/** True for a name of the time zone database, and for `UTC`. An offset such as `+02:00` is none. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

/**
 * `times` are those of a clock that never changes, in UTC. The instants of its times never go back, so what is after
 * an instant is also later on the clock than what the clock shows then.
 */
function onTheClock(times: CronTimes, clock: Clock): CronTimes {
  return {
    next(after) {
      let time = times.next(clock.at(after))
      let instant = time && clock.instantOf(time)
      while (time !== undefined && instant !== undefined && instant <= after) {
        time = times.next(time)
        instant = time && clock.instantOf(time)
      }
      return instant
    },
    previous(before) {
      let time = times.previous(clock.latestAt(before))
      let instant = time && clock.instantOf(time)
      while (time !== undefined && instant !== undefined && instant >= before) {
        time = times.previous(time)
        instant = time && clock.instantOf(time)
      }
      return instant
    },
  }
}

/** The clock on the wall of a time zone; its times are written as if they were in UTC. */
class Clock {
  readonly #format: Intl.DateTimeFormat

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  }

  /** What it shows at an instant. */
  at(instant: Date): Date {
    return new Date(instant.getTime() + this.#offsetMs(instant.getTime()))
  }

  /** The latest that it has shown by an instant: more than at the instant itself when it was just turned back. */
  latestAt(instant: Date): Date {
    const now = instant.getTime()
    return new Date(now + Math.max(this.#offsetMs(now), this.#offsetMs(now - DAY_MS)))
  }

  /** When it first shows a time; where it never does, the first moment after. */
  instantOf(time: Date): Date {
    const shown = time.getTime()
    const before = this.#offsetMs(shown - DAY_MS)
    const after = this.#offsetMs(shown + DAY_MS)
    const candidates = [shown - before, shown - after].sort((a, b) => a - b)
    const found = candidates.find((instant) => instant + this.#offsetMs(instant) === shown)
    return new Date(found ?? this.#changeBetween(shown - after, shown - before))
  }

  /** The first instant, to the minute, at which the clock no longer goes as it did at `from`. */
  #changeBetween(from: number, to: number): number {
    const offset = this.#offsetMs(from)
    let [before, after] = [from, to]
    while (after - before > MINUTE_MS) {
      const middle = before + Math.ceil((after - before) / (2 * MINUTE_MS)) * MINUTE_MS
      if (middle >= after) break
      if (this.#offsetMs(middle) === offset) before = middle
      else after = middle
    }
    return after
  }

  /** `GMT+05:30` at the end of a date; `GMT` alone is UTC. */
  #offsetMs(instant: number): number {
    const [, sign, hours = 0, minutes = 0] =
      /GMT(?:([+-])(\d\d):(\d\d))?/.exec(this.#format.format(instant)) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * MINUTE_MS
  }
}
