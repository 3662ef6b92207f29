import { ExpressionError } from '../expression-error.ts'
import { type Run, scan, spend } from '../run.ts'
import { type DateValue, dateValue } from '../values/date-value.ts'
import { readInstant } from '../values/instant.ts'
import { isNothing } from '../values/properties.ts'
import { toText } from '../values/text.ts'
import { offsetMinutes } from '../values/timezone.ts'
import { countZoneNames, differenceIn, formatWall } from './calendar.ts'

type Parameters = readonly unknown[]

const longestFormat = 200
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
/** What the calendar of a zone takes to answer. */
const perClock = 500
const dayMs = 86_400_000

/** date(value) as data, in UTC unless a zone is given; date(value, format, locale, timezone) as text. */
export function date(parameters: Parameters, run: Run): unknown {
  const [value, format, locale, timezone] = parameters
  const ts = parameters.length === 0 ? now(run) : readInstant(value)
  const zone = isNothing(timezone) ? undefined : toText(timezone, run)
  if (zone !== undefined || !isNothing(format)) spend(run, perClock)
  if (isNothing(format)) return asData(ts, zone)
  if (Number.isNaN(ts)) return undefined
  const tokens = toText(format, run)
  if (tokens.length > longestFormat) throw new ExpressionError('The format of date() is too long.')
  spend(run, countZoneNames(tokens) * perClock)
  const language = toText(locale ?? run.options.locale ?? 'en', run)
  return formatWall(ts, tokens, language, zone ?? run.options.timezone ?? 'Europe/Paris')
}

// Something that is no date has no fields, so that a missing variable is not an error.
function asData(ts: number, zone: string | undefined): DateValue | Record<string, never> {
  if (Number.isNaN(ts)) return {}
  return dateValue(ts, zone === undefined ? 0 : offsetMinutes(ts, zone))
}

/** elapsed(date, unit, n): whether n units or weekdays passed since the date; without n, how many did. */
export function elapsed([since, unit, amount]: Parameters, run: Run): number | boolean {
  const start = readInstant(since)
  const end = now(run)
  if (Number.isNaN(start)) return isNothing(amount) ? 0 : false
  const written = isNothing(unit) ? 'second' : toText(unit, run)
  scan(run, written.length)
  const name = written.slice(0, longestFormat).toLowerCase().replace(/s$/, '')
  const weekday = weekdays.indexOf(name)
  const passed = weekday === -1 ? differenceIn(name, start, end) : countWeekdays(weekday, start, end)
  if (passed === undefined) {
    throw new ExpressionError(`elapsed() knows seconds to years and weekdays, not "${written.slice(0, 30)}".`)
  }
  return isNothing(amount) ? passed : passed >= Number(amount)
}

function now(run: Run): number {
  return run.options.now ? run.options.now().getTime() : Date.now()
}

// How often a midnight (UTC) that starts this weekday was crossed; 1970-01-01 was a Thursday.
function countWeekdays(weekday: number, start: number, end: number): number {
  const weekOf = (ts: number) => Math.floor((Math.floor(ts / dayMs) + 4 - weekday) / 7)
  return Math.max(0, weekOf(end) - weekOf(start))
}
