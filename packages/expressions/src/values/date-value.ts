/** A date as data: what date(x) gives without a format, safe to store and to send. */
export interface DateValue {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** Day of the week, 0 is Sunday. */
  readonly day: number
  /** Day of the month. */
  readonly date: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly millisecond: number
  /** The instant in UTC. */
  readonly iso: string
  /** The instant in milliseconds since 1970. */
  readonly ts: number
}

/** Recognised by shape, so that a date still compares as one after it was stored in a variable. */
export function isDateValue(value: unknown): value is DateValue {
  if (typeof value !== 'object' || value === null) return false
  return (
    Object.hasOwn(value, 'ts') &&
    Object.hasOwn(value, 'iso') &&
    typeof Reflect.get(value, 'ts') === 'number' &&
    typeof Reflect.get(value, 'iso') === 'string'
  )
}

/** Builds the record from an instant and the minutes its wall clock is ahead of UTC. */
export function dateValue(ts: number, offsetMinutes: number): DateValue {
  const wall = new Date(ts + offsetMinutes * 60_000)
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDay(),
    date: wall.getUTCDate(),
    hour: wall.getUTCHours(),
    minute: wall.getUTCMinutes(),
    second: wall.getUTCSeconds(),
    millisecond: wall.getUTCMilliseconds(),
    iso: new Date(ts).toISOString(),
    ts,
  }
}
