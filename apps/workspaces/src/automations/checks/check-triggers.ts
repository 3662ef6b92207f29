import { checkTexts } from './check-texts.ts'
import { isRecord } from './is-record.ts'
import type { Path, Problem } from './problem.ts'

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const days = 'sun|mon|tue|wed|thu|fri|sat'

/** Minute, hour, day, month, weekday: numbers with their least and greatest, and names. */
const fields = [
  { min: 0, max: 59, names: '' },
  { min: 0, max: 23, names: '' },
  { min: 1, max: 31, names: '' },
  { min: 1, max: 12, names: months },
  { min: 0, max: 7, names: days },
] as const

/** What starts the automation: expressions in its texts and the times of its schedules. */
export function checkTriggers(when: unknown, path: Path): Problem[] {
  if (!isRecord(when)) return []
  const { schedules } = when
  const wrong = Array.isArray(schedules)
    ? schedules.flatMap((schedule, index) => checkSchedule(schedule, [...path, 'schedules', index]))
    : []
  return [...wrong, ...checkTexts(when, path)]
}

function checkSchedule(schedule: unknown, path: Path): Problem[] {
  const cron = isRecord(schedule) ? schedule.cron : schedule
  const timezone = isRecord(schedule) ? schedule.timezone : undefined
  const cronPath = isRecord(schedule) ? [...path, 'cron'] : path
  return [
    ...(typeof cron !== 'string' || isCron(cron)
      ? []
      : [
          {
            path: cronPath,
            message: 'must be five cron fields (minute hour day month weekday), for example */15 * * * *',
          },
        ]),
    ...(typeof timezone !== 'string' || isTimeZone(timezone)
      ? []
      : [{ path: [...path, 'timezone'], message: 'must be a time zone such as Europe/Paris' }]),
  ]
}

function isCron(text: string): boolean {
  const parts = text.trim().toLowerCase().split(/\s+/)
  return (
    parts.length === fields.length && fields.every((field, index) => isCronField(parts[index] ?? '', field))
  )
}

const isCronField = (text: string, field: (typeof fields)[number]): boolean =>
  text.split(',').every((part) => {
    const [range = '', step, ...rest] = part.split('/')
    if (rest.length > 0 || (step !== undefined && !/^[1-9]\d?$/.test(step))) return false
    if (range === '*') return true
    const ends = range.split('-')
    return ends.length <= 2 && ends.every((end) => isCronValue(end, field))
  })

function isCronValue(text: string, { min, max, names }: (typeof fields)[number]): boolean {
  if (/^\d{1,2}$/.test(text)) return Number(text) >= min && Number(text) <= max
  return names.split('|').includes(text) && text !== ''
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
