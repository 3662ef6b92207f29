import { DISTINCT_MAX, type Interval } from '../aggregation.ts'
import { fixedLengthOf, timeZoneOf } from '../aggregation-checks.ts'
import { tooManyValues } from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const DATE = '(?!0000)(\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const TIME = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?'
const OFFSET = '(Z|[+-](0\\d|1[0-4]):[0-5]\\d)'
const ISO = new RegExp(`^${DATE}(T${TIME}${OFFSET})?$`)

/** The instant of an ISO text in Unix milliseconds; undefined for any other text, and for days that no month has. */
export function instantOf(text: string): number | undefined {
  const [, year, month, day] = ISO.exec(text) ?? []
  if (day === undefined || Number(day) > daysIn(Number(year), Number(month))) return undefined
  const ms = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'))
  return Number.isNaN(ms) ? undefined : ms
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()

/** The first instant of the span an instant falls into. */
export function spanStart(ms: number, interval: Interval): number {
  if ('fixedMs' in interval) return Math.floor(ms / interval.fixedMs) * interval.fixedMs
  const zone = timeZoneOf(interval.timeZone)
  const local = ms + offsetAt(ms, zone)
  // Within a day the clock's own offset counts, also where an hour comes twice.
  if (interval.calendar === 'minute') return ms - mod(local, MINUTE_MS)
  if (interval.calendar === 'hour') return ms - mod(local, HOUR_MS)
  return instantAt(firstDay(local, interval.calendar), zone)
}

/** All first instants from one to another. Throws SearchError when there are too many. */
export function spansBetween(first: number, last: number, interval: Interval): number[] {
  const starts: number[] = []
  for (let start = first; start <= last; start = nextStart(start, interval)) {
    if (starts.length > DISTINCT_MAX) throw tooManyValues('of the date histogram')
    starts.push(start)
  }
  return starts
}

function nextStart(start: number, interval: Interval): number {
  if ('fixedMs' in interval) return start + interval.fixedMs
  if (interval.calendar === 'minute') return start + MINUTE_MS
  if (interval.calendar === 'hour') return start + HOUR_MS
  // Further than any change of the clocks, and not as far as the span after the next.
  const lengths = { day: 1.5, week: 8, month: 32, quarter: 93, year: 367 }
  return spanStart(start + lengths[interval.calendar] * DAY_MS, interval)
}

/** An interval as the store reads it. Throws SearchError for one that is none. */
export function storeInterval(interval: Interval): Record<string, string> {
  if ('fixedMs' in interval) return { fixed_interval: `${fixedLengthOf(interval.fixedMs)}ms` }
  return { calendar_interval: interval.calendar, time_zone: timeZoneOf(interval.timeZone) }
}

const mod = (value: number, by: number): number => ((value % by) + by) % by

/** Midnight of the first day of a span, as if the zone were UTC. */
function firstDay(local: number, calendar: 'day' | 'week' | 'month' | 'quarter' | 'year'): number {
  const date = new Date(local)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  if (calendar === 'year') return Date.UTC(year, 0)
  if (calendar === 'quarter') return Date.UTC(year, month - (month % 3))
  if (calendar === 'month') return Date.UTC(year, month)
  const midnight = local - mod(local, DAY_MS)
  return calendar === 'day' ? midnight : midnight - mod(date.getUTCDay() - 1, 7) * DAY_MS
}

/** The instant when the clocks of a zone show a time; where they skip it, the one at which they go on. */
function instantAt(local: number, zone: string): number {
  const guess = local - offsetAt(local - offsetAt(local, zone), zone)
  const shown = guess + offsetAt(guess, zone)
  return shown < local ? guess + (local - shown) : guess
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds by which the clocks of a zone are ahead of UTC. */
function offsetAt(ms: number, zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? []
  if (hours !== undefined)
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS)
  const text = formatOf(zone).format(ms)
  const [, month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] =
    /(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)/.exec(text)?.map(Number) ?? []
  return Date.UTC(year, month - 1, day, hour, minute, second) - (ms - mod(ms, 1000))
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  // There are some hundreds of zones.
  formats.set(zone, format)
  return format
}
