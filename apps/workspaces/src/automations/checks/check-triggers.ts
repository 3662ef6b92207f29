import { checkEndpoint } from './check-endpoint.ts'
import { checkTexts } from './check-texts.ts'
import { leastGap, readCron } from './cron.ts'
import { isRecord, type Path, type Problem } from './problem.ts'

/** Minutes there must be between two times of a schedule. */
const LEAST_MINUTES = 15
/** Longer ones are refused as such. */
const MAX_LENGTH = 100

/** What starts the automation: its URL, the times of its schedules and expressions in its texts. */
export function checkTriggers(when: unknown, path: Path): Problem[] {
  if (!isRecord(when)) return []
  const { endpoint, schedules } = when
  const wrong = Array.isArray(schedules)
    ? schedules.flatMap((schedule, index) => checkSchedule(schedule, [...path, 'schedules', index]))
    : []
  return [...checkEndpoint(endpoint, [...path, 'endpoint']), ...wrong, ...checkTexts(when, path)]
}

function checkSchedule(schedule: unknown, path: Path): Problem[] {
  const { cron, timezone } = isRecord(schedule) ? schedule : { cron: schedule, timezone: undefined }
  const problem = typeof cron === 'string' ? cronProblem(cron) : undefined
  return [
    ...(problem === undefined
      ? []
      : [{ path: isRecord(schedule) ? [...path, 'cron'] : path, message: problem }]),
    ...(typeof timezone !== 'string' || isTimeZone(timezone)
      ? []
      : [{ path: [...path, 'timezone'], message: 'must be a time zone such as Europe/Paris' }]),
  ]
}

function cronProblem(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const cron = readCron(text)
  if (cron === undefined)
    return 'must be five cron fields (minute hour day month weekday), for example */15 * * * *'
  return leastGap(cron) < LEAST_MINUTES
    ? `fires too often: a schedule may fire at most every ${LEAST_MINUTES} minutes, for example */15 * * * *`
    : undefined
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
