const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const weekdays = 'sun|mon|tue|wed|thu|fri|sat'

interface Field {
  min: number
  max: number
  names: string
}

const fields: readonly Field[] = [
  { min: 0, max: 59, names: '' },
  { min: 0, max: 23, names: '' },
  { min: 1, max: 31, names: '' },
  { min: 1, max: 12, names: months },
  { min: 0, max: 7, names: weekdays },
]

/** When it fires, each field as the numbers it takes, in order. Where days and weekdays are named either will do. */
export interface Cron {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  /** Empty for any day; so are the weekdays. */
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
}

/** Longer ones are no cron. */
const MAX_LENGTH = 100

/**
 * Reads five fields: minute, hour, day, month, weekday, with numbers, names, lists, ranges and steps. undefined for
 * anything else.
 */
export function readCron(text: string): Cron | undefined {
  const parts = text.trim().toLowerCase().split(/\s+/)
  if (text.length > MAX_LENGTH || parts.length !== fields.length) return undefined
  const [minutes, hours, days, months, weekdays] = fields.map((field, index) =>
    readField(parts[index] ?? '', field),
  )
  if (!minutes || !hours || !days || !months || !weekdays) return undefined
  return {
    minutes: inOrder(minutes),
    hours: inOrder(hours),
    days: inOrder(parts[2] === '*' ? [] : days),
    months: inOrder(months),
    weekdays: inOrder(parts[4] === '*' ? [] : [...weekdays].map((day) => day % 7)),
  }
}

const inOrder = (numbers: Iterable<number>): Set<number> => new Set([...numbers].sort((a, b) => a - b))

/** The cron in the words that every reader of crons knows: lists of numbers. */
export const patternOf = ({ minutes, hours, days, months, weekdays }: Cron): string =>
  [minutes, hours.size === 24 ? [] : hours, days, months, weekdays]
    .map((numbers) => [...numbers].join(',') || '*')
    .join(' ')

const MINUTES_OF_DAY = 24 * 60
/** 29 February comes once in so many years, as do all weekdays of a date but for it. */
const YEARS = 8

/**
 * The fewest minutes between two times, as a clock that is never changed shows them. undefined where it has fewer than
 * two, as on the 30th of February.
 */
export function leastGapMinutes(cron: Cron): number | undefined {
  const times = [...cron.hours].flatMap((hour) => [...cron.minutes].map((minute) => hour * 60 + minute))
  const withinDay = times.slice(1).map((time, index) => time - (times[index] ?? 0))
  const days = daysOf(cron)
  const betweenDays = days.slice(1).map((day, index) => day - (days[index] ?? 0))
  if (betweenDays.length === 0) return undefined
  const overNight = Math.min(...betweenDays) * MINUTES_OF_DAY + (times[0] ?? 0) - (times.at(-1) ?? 0)
  return Math.min(overNight, ...withinDay)
}

/** The days on which it fires, as numbers of days. */
function daysOf({ days, months, weekdays }: Cron): number[] {
  const found: number[] = []
  const date = new Date(Date.UTC(2024, 0, 1))
  for (let day = 0; day < YEARS * 366; day += 1) {
    const isNamed = days.has(date.getUTCDate()) || weekdays.has(date.getUTCDay())
    const isAny = days.size === 0 && weekdays.size === 0
    if (months.has(date.getUTCMonth() + 1) && (isAny || isNamed)) found.push(day)
    date.setUTCDate(date.getUTCDate() + 1)
  }
  return found
}

function readField(text: string, field: Field): Set<number> | undefined {
  const taken = new Set<number>()
  for (const part of text.split(',')) {
    const values = readPart(part, field)
    if (values === undefined) return undefined
    for (const value of values) taken.add(value)
  }
  return taken
}

function readPart(part: string, field: Field): number[] | undefined {
  const [range = '', step, ...rest] = part.split('/')
  if (rest.length > 0 || (step !== undefined && !/^[1-9]\d?$/.test(step))) return undefined
  const ends = readRange(range, field, step !== undefined)
  if (ends === undefined) return undefined
  const [first, last] = ends
  const length = last < first ? field.max - field.min + 1 + last - first : last - first
  const by = Number(step ?? 1)
  return Array.from({ length: Math.floor(length / by) + 1 }, (_, index) => {
    const value = first + index * by
    return value > field.max ? value - (field.max - field.min + 1) : value
  })
}

/** `5/10` goes on from 5 to the end; `fri-mon` goes over the end. */
function readRange(range: string, field: Field, hasStep: boolean): [number, number] | undefined {
  if (range === '*') return [field.min, field.max]
  const ends = range.split('-').map((end) => readValue(end, field))
  const [first, last = hasStep ? field.max : first] = ends
  if (ends.length > 2 || ends.includes(undefined) || first === undefined || last === undefined)
    return undefined
  return [first, last]
}

function readValue(text: string, { min, max, names }: Field): number | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text) >= min && Number(text) <= max ? Number(text) : undefined
  const index = text === '' ? -1 : names.split('|').indexOf(text)
  return index < 0 ? undefined : index + min
}
