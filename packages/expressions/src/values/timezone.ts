import { createCache } from '../cache.ts'
import { ExpressionError } from '../expression-error.ts'

const clocks = createCache<Intl.DateTimeFormat>(100)
const names = createCache<Intl.DateTimeFormat>(100)

/** Minutes the wall clock of a zone is ahead of UTC at an instant. */
export function offsetMinutes(ts: number, timezone: string): number {
  if (timezone === 'UTC') return 0
  const parts = new Map(
    clockOf(timezone)
      .formatToParts(ts)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const wall = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return Math.round((wall - Math.floor(ts / 1_000) * 1_000) / 60_000)
}

/** The name of a zone at an instant, as English writes it. */
export function zoneName(ts: number, timezone: string, style: 'long' | 'short'): string {
  const key = `${style} ${timezone}`
  let format = names.get(key)
  if (format === undefined) {
    format = createFormat(timezone, { timeZoneName: style })
    names.set(key, format)
  }
  return format.formatToParts(ts).find((part) => part.type === 'timeZoneName')?.value ?? timezone
}

function clockOf(timezone: string): Intl.DateTimeFormat {
  const known = clocks.get(timezone)
  if (known !== undefined) return known
  const clock = createFormat(timezone, {
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(timezone, clock)
  return clock
}

function createFormat(timeZone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { ...options, timeZone })
  } catch {
    const remedy = 'use a name like "Europe/Paris"'
    throw new ExpressionError(`The time zone "${timeZone.slice(0, 60)}" does not exist; ${remedy}.`)
  }
}
