import { raw, type Sql, sql } from '@platform/database'
import { DISTINCT_MAX, type Interval } from '../aggregation.ts'
import { fixedLengthOf, timeZoneOf } from '../aggregation-checks.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Dates and instants of ISO 8601, whose parts are in range; only the last days of a month are left to check. */
const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const TIME = '([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?'
const OFFSET = '(Z|[+-](0\\d|1[0-4]):[0-5]\\d)'
const ISO = `^${DATE}(T${TIME}${OFFSET})?$`

/** SQL of the start of the bucket an ISO text falls into, in Unix milliseconds; null for any other text. */
export function bucketOf(text: Sql, interval: Interval): Sql {
  const isIso = sql`${text} ~ ${ISO} and left(${text}, 4) <> '0000'
    and (substr(${text}, 9, 2) <= '28' or ${isDayOfMonth(text)})`
  const instant = sql`case when (${isUsualForm(text)}) or (${isIso})
    then (case when length(${text}) = 10 then ${text} || 'T00:00:00Z' else ${text} end)::timestamptz end`
  if ('fixedMs' in interval) {
    const size = fixedLengthOf(interval.fixedMs)
    return sql`(floor(extract(epoch from ${instant}) * 1000 / ${size}::numeric) * ${size}::numeric)::bigint`
  }
  const start = sql`date_trunc(${interval.calendar}, ${instant}, ${zoneOf(interval.timeZone)})`
  return sql`(extract(epoch from ${start}) * 1000)::bigint`
}

/** How this platform writes instants: recognised in a tenth of the time that the expression for all forms takes. */
const isUsualForm = (text: Sql): Sql => sql`
  translate(${text}, '123456789', '000000000') = '0000-00-00T00:00:00.000Z' and left(${text}, 4) <> '0000'
  and substr(${text}, 6, 2) between '01' and '12' and substr(${text}, 9, 2) between '01' and '28'
  and substr(${text}, 12, 2) <= '23' and substr(${text}, 15, 2) <= '59' and substr(${text}, 18, 2) <= '59'`

const isDayOfMonth = (text: Sql): Sql => sql`substr(${text}, 9, 2)::int <= extract(day from
  make_date(substr(${text}, 1, 4)::int, substr(${text}, 6, 2)::int, 1) + interval '1 month' - interval '1 day')`

/** SQL that selects all starts of buckets from one to another as `start`, at most one more than are allowed. */
export function bucketsBetween(low: Sql, high: Sql, interval: Interval): Sql {
  const most = sql`limit ${DISTINCT_MAX + 1}`
  const step = stepOf(interval)
  if (step !== undefined)
    return sql`select generate_series(${low}, ${high}, ${step}::bigint) as start ${most}`
  const { calendar, timeZone } = interval as Extract<Interval, { calendar: string }>
  const zone = zoneOf(timeZone)
  // A day whose midnight is skipped by the clocks begins later: the steps go from its date.
  const local = (ms: Sql) => sql`date_trunc('day', to_timestamp(${ms} / 1000.0) at time zone ${zone})`
  const length = calendar === 'quarter' ? '3 months' : `1 ${calendar}`
  return sql`
    select (extract(epoch from day at time zone ${zone}) * 1000)::bigint as start
    from generate_series(${local(low)}, ${local(high)}, ${raw(`interval '${length}'`)}) as day ${most}`
}

/** Milliseconds of a bucket where all are of one length. */
function stepOf(interval: Interval): number | undefined {
  if ('fixedMs' in interval) return fixedLengthOf(interval.fixedMs)
  if (interval.calendar === 'minute') return MINUTE_MS
  return interval.calendar === 'hour' ? HOUR_MS : undefined
}

/** An offset east of Greenwich, such as +02:00, counts westwards where PostgreSQL reads it. */
function zoneOf(timeZone: string | undefined): string {
  const zone = timeZoneOf(timeZone)
  const [, sign, time] = /^([+-])(\d\d:\d\d)$/.exec(zone) ?? []
  if (sign === undefined || time === undefined) return zone
  return `<${sign}${time.replace(':', '')}>${sign === '+' ? '-' : '+'}${time}`
}
