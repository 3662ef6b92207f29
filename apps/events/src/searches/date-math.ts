import { refusal } from './reading.ts'

type Unit = 'y' | 'M' | 'w' | 'd' | 'h' | 'H' | 'm' | 's'

const operation = /([+-]\d{1,6}|\/)([yMwdhHms])/g
const dateMath = /^(now|[\d:.TZ+-]{4,40}\|\|)((?:[+-]\d{1,6}[yMwdhHms]|\/[yMwdhHms]){0,10})$/
const calendar =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(\d{2})(?::(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/
const spans: Readonly<Record<Exclude<Unit, 'y' | 'M'>, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  H: 3_600_000,
  m: 60_000,
  s: 1000,
}

/** True for a text that stands for an instant only when it is computed, such as `now-7d/d` or `2026-01-01||+1M`. */
export const isDateMath = (text: string): boolean => dateMath.test(text)

/**
 * The instant of a bound as ISO text, in UTC. What a date leaves out, and what is rounded away by `/d`, is filled up
 * to the first millisecond of the span or, with `up`, to its last, as Elasticsearch does for `gt` and `lte`.
 */
export function instantOf(value: string | number, options: { now: Date; up: boolean; path: string }): string {
  const { now, up, path } = options
  const ms = typeof value === 'number' ? value : parse(value, now, up)
  if (!(Math.abs(ms) < 253_402_300_800_000) || ms < -62_135_596_800_000)
    throw refusal(path, 'must be a date such as 2026-01-31, 2026-01-31T10:00:00Z or now-7d/d')
  return new Date(ms).toISOString()
}

function parse(text: string, now: Date, up: boolean): number {
  const match = dateMath.exec(text)
  if (match === null) return readDate(text, up)
  const [, anchor = '', operations = ''] = match
  // Only the last word of a sum is rounded up: an anchor of a computation is a point.
  let at = anchor === 'now' ? now.getTime() : readDate(anchor.slice(0, -2), false)
  for (const [, sign = '', unit] of operations.matchAll(operation)) {
    at = sign === '/' ? round(at, unit as Unit, up) : add(at, Number(sign), unit as Unit)
  }
  return at
}

function readDate(text: string, up: boolean): number {
  const [
    found,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    zone = 'Z',
  ] = calendar.exec(text) ?? []
  const whole = `${year}-${month}-${day}T${hour}:${minute}:${second}`
  // 30 February would be taken for 2 March.
  if (found === undefined || new Date(`${whole}Z`).getUTCDate() !== Number(day)) return Number.NaN
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3)
  const start = Date.parse(`${whole}.${milliseconds}${zone.replace(/(\d{2})(\d{2})$/, '$1:$2')}`)
  const span = up ? spanOf(text) : undefined
  return span === undefined ? start : add(start, 1, span) - 1
}

/** The span that a date without all its parts stands for. */
function spanOf(text: string): Unit | undefined {
  const parts = (calendar.exec(text) ?? []).slice(2, 8)
  return (['y', 'M', 'd', 'h', 'm', 's'] as const).find((_, index) => parts[index] === undefined)
}

function add(ms: number, count: number, unit: Unit): number {
  if (unit !== 'y' && unit !== 'M') return ms + count * spans[unit]
  const date = new Date(ms)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + count * (unit === 'y' ? 12 : 1))
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  return date.setUTCDate(Math.min(day, lastDay))
}

function round(ms: number, unit: Unit, up: boolean): number {
  const start = startOf(ms, unit)
  return up ? add(start, 1, unit) - 1 : start
}

function startOf(ms: number, unit: Unit): number {
  const date = new Date(ms)
  if (unit === 'y') return Date.UTC(date.getUTCFullYear(), 0)
  if (unit === 'M') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
  // Weeks begin on Monday; the first of January 1970 was a Thursday.
  if (unit === 'w') return Math.floor((ms + 3 * spans.d) / spans.w) * spans.w - 3 * spans.d
  return Math.floor(ms / spans[unit]) * spans[unit]
}
