import dayjs from 'dayjs'
import 'dayjs/locale/de.js'
import 'dayjs/locale/es.js'
import 'dayjs/locale/fr.js'
import 'dayjs/locale/it.js'
import 'dayjs/locale/nl.js'
import 'dayjs/locale/pt.js'
import advancedFormat from 'dayjs/plugin/advancedFormat.js'
import isoWeek from 'dayjs/plugin/isoWeek.js'
import localizedFormat from 'dayjs/plugin/localizedFormat.js'
import utc from 'dayjs/plugin/utc.js'
import weekOfYear from 'dayjs/plugin/weekOfYear.js'
import weekYear from 'dayjs/plugin/weekYear.js'
import { offsetMinutes, zoneName } from '../values/timezone.ts'

for (const plugin of [utc, localizedFormat, weekOfYear, weekYear, isoWeek, advancedFormat])
  dayjs.extend(plugin)

const locales = new Set(['en', 'de', 'es', 'fr', 'it', 'nl', 'pt'])
const exactUnits = new Map([
  ['millisecond', 1],
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 604_800_000],
])

/**
 * Formats the wall clock of a zone as if it were UTC, so that the zone of the machine never matters;
 * tokens that need the real instant or offset are filled in before.
 */
export function formatWall(ts: number, format: string, locale: string, timezone: string): string {
  const offset = offsetMinutes(ts, timezone)
  const language = locale.toLowerCase().split(/[-_]/)[0] ?? 'en'
  const tokens = format.replace(/\[[^\]]*\]|Z{1,2}|z{1,3}|X|x/g, (token) => {
    if (token.startsWith('[')) return token
    return `[${instantToken(token, ts, offset, timezone)}]`
  })
  const wall = dayjs.utc(ts + offset * 60_000).locale(locales.has(language) ? language : 'en')
  return wall.format(tokens)
}

/** How often a format asks for the name of the zone. */
export const countZoneNames = (format: string): number => format.match(/z{1,3}/g)?.length ?? 0

function instantToken(token: string, ts: number, offset: number, timezone: string): string {
  if (token === 'X') return String(Math.floor(ts / 1_000))
  if (token === 'x') return String(ts)
  if (token.startsWith('z')) return zoneName(ts, timezone, token === 'zzz' ? 'long' : 'short')
  const sign = offset < 0 ? '-' : '+'
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  const digits = [hours, minutes].map((part) => String(part).padStart(2, '0'))
  return sign + digits.join(token === 'Z' ? ':' : '')
}

/** Whole units between two instants, months and years by the calendar; undefined for an unknown unit. */
export function differenceIn(unit: string, start: number, end: number): number | undefined {
  const length = exactUnits.get(unit)
  if (length !== undefined) return Math.floor((end - start) / length)
  if (unit !== 'month' && unit !== 'year') return undefined
  return dayjs.utc(end).diff(dayjs.utc(start), unit)
}
