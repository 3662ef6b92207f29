import type { Interval } from '@platform/search'
import { z } from 'zod'
import { refusal } from '../reading.ts'

type Calendar = Extract<Interval, { calendar: unknown }>['calendar']

const calendars: Readonly<Record<string, Calendar>> = {
  minute: 'minute',
  '1m': 'minute',
  hour: 'hour',
  '1h': 'hour',
  day: 'day',
  '1d': 'day',
  week: 'week',
  '1w': 'week',
  month: 'month',
  '1M': 'month',
  quarter: 'quarter',
  '1q': 'quarter',
  year: 'year',
  '1y': 'year',
}
const fixedForm = /^(\d{1,9})(ms|s|m|h|d)$/
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SHORTEST_MS = 1000
const LONGEST_MS = 3_660 * 86_400_000

/** The parts of a histogram that name its spans. */
export const IntervalFields = {
  calendar_interval: z.string().optional(),
  fixed_interval: z.string().optional(),
  time_zone: z.string().optional(),
  interval: z.undefined('is not taken: use calendar_interval or fixed_interval').optional(),
  format: z.undefined('is not taken: key_as_string is ISO 8601').optional(),
  offset: z.undefined('is not taken: use time_zone').optional(),
  extended_bounds: z.undefined('is not taken: spans without events are left out at both ends').optional(),
  missing: z.undefined('is not taken: every event has its instant').optional(),
}

interface Fields {
  calendar_interval?: string | undefined
  fixed_interval?: string | undefined
  time_zone?: string | undefined
}

/** The spans that a histogram asks for. */
export function readInterval(fields: Fields, path: string): Interval {
  const { calendar_interval: calendar, fixed_interval: fixed, time_zone: zone } = fields
  if ((calendar === undefined) === (fixed === undefined))
    throw refusal(path, 'must have either calendar_interval or fixed_interval')
  if (calendar !== undefined) return calendarInterval(calendar, zone, path)
  if (zone !== undefined && zone !== 'UTC')
    throw refusal(`${path}.time_zone`, 'is for calendar_interval: fixed spans are counted from 1970 in UTC')
  return { fixedMs: fixedMs(fixed ?? '', `${path}.fixed_interval`) }
}

function calendarInterval(name: string, timeZone: string | undefined, path: string): Interval {
  const calendar = Object.hasOwn(calendars, name) ? calendars[name] : undefined
  if (calendar === undefined)
    throw refusal(
      `${path}.calendar_interval`,
      'must be minute, hour, day, week, month, quarter or year: use fixed_interval for several of them',
    )
  if (timeZone === undefined) return { calendar }
  // An offset would be read with the opposite sign by some stores.
  if (!/^[A-Z][A-Za-z]*([/_+-][A-Za-z0-9]+)*$/.test(timeZone) || !isTimeZone(timeZone))
    throw refusal(`${path}.time_zone`, 'must be the name of a time zone such as Europe/Paris')
  return { calendar, timeZone }
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

function fixedMs(text: string, path: string): number {
  const [, count = '0', unit = ''] = fixedForm.exec(text) ?? []
  const ms = Number(count) * (unitMs[unit] ?? 0)
  if (ms >= SHORTEST_MS && ms <= LONGEST_MS) return ms
  throw refusal(path, 'must be a span such as 30m, 6h or 7d, from one second to ten years')
}
