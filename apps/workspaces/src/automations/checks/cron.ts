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

/** When a schedule fires, each field as the numbers it takes; an empty set of days is any day. */
export interface Cron {
  minutes: ReadonlySet<number>
  hours: ReadonlySet<number>
  days: ReadonlySet<number>
  weekdays: ReadonlySet<number>
}

/**
 * Reads five fields: minute, hour, day, month, weekday, with numbers, names, lists, ranges and steps. undefined for
 * anything else.
 */
export function readCron(text: string): Cron | undefined {
  const parts = text.trim().toLowerCase().split(/\s+/)
  if (parts.length !== fields.length) return undefined
  const read = fields.map((field, index) => readField(parts[index] ?? '', field))
  const [minutes, hours, days, , week] = read
  if (minutes === undefined || hours === undefined || days === undefined || week === undefined)
    return undefined
  if (read.includes(undefined)) return undefined
  const any = new Set<number>()
  return {
    minutes,
    hours,
    days: parts[2] === '*' ? any : days,
    weekdays: parts[4] === '*' ? any : new Set([...week].map((day) => day % 7)),
  }
}

/** The fewest minutes between two times the schedule fires. */
export function leastGap(cron: Cron): number {
  const minutes = [...cron.minutes].sort((a, b) => a - b)
  const gaps = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0))
  const overTheHour = (minutes[0] ?? 0) + 60 - (minutes.at(-1) ?? 0)
  return Math.min(...gaps, firesInNextHour(cron) ? overTheHour : 60)
}

function firesInNextHour({ hours, days, weekdays: week }: Cron): boolean {
  if ([...hours].some((hour) => hour < 23 && hours.has(hour + 1))) return true
  return hours.has(23) && hours.has(0) && firesOnNextDay(days, week)
}

/** Where both days and weekdays are named either will do, so that any two days may follow each other. */
function firesOnNextDay(days: ReadonlySet<number>, week: ReadonlySet<number>): boolean {
  if (days.size === 0 && week.size === 0) return true
  if (days.size > 0 && week.size > 0) return true
  if (days.size === 0) return [...week].some((day) => week.has((day + 1) % 7))
  return [...days].some((day) => days.has(day + 1) || (day >= 28 && days.has(1)))
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
