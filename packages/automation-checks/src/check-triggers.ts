import { isTimeZone, leastGapMinutes, readCron } from '@platform/cron'
import { isRecord } from '@platform/kernel'
import type { Path, Problem } from '@platform/source-texts'
import { checkEndpoint } from './check-endpoint.ts'
import { checkTexts } from './check-texts.ts'

/** Longer ones are refused as such. */
const MAX_LENGTH = 100

/**
 * What starts the automation: its URL, the times of its schedules and expressions in its texts. Two times of a schedule
 * are at least so many seconds from each other.
 */
export function checkTriggers(when: unknown, path: Path, leastSeconds: number): Problem[] {
  if (!isRecord(when)) return []
  const { endpoint, schedules } = when
  const wrong = Array.isArray(schedules)
    ? schedules.flatMap((schedule, index) =>
        checkSchedule(schedule, [...path, 'schedules', index], leastSeconds),
      )
    : []
  return [...checkEndpoint(endpoint, [...path, 'endpoint']), ...wrong, ...checkTexts(when, path)]
}

function checkSchedule(schedule: unknown, path: Path, leastSeconds: number): Problem[] {
  const { cron, timezone } = isRecord(schedule) ? schedule : { cron: schedule, timezone: undefined }
  const problem = typeof cron === 'string' ? cronProblem(cron, leastSeconds) : undefined
  return [
    ...(problem === undefined
      ? []
      : [{ path: isRecord(schedule) ? [...path, 'cron'] : path, message: problem }]),
    ...(typeof timezone !== 'string' || isTimeZone(timezone)
      ? []
      : [{ path: [...path, 'timezone'], message: 'must be a time zone such as Europe/Paris' }]),
  ]
}

const FIVE_FIELDS =
  'must be five cron fields, minute (0–59), hour (0–23), day (1–31), month (1–12, jan–dec) and weekday ' +
  '(0–7, sun–sat), for example */15 * * * *'

function cronProblem(text: string, leastSeconds: number): string | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const cron = readCron(text)
  if (cron === undefined) return FIVE_FIELDS
  const gap = leastGapMinutes(cron)
  if (gap === undefined) return 'never fires: none of its months has such a day'
  const least = Math.ceil(leastSeconds / 60)
  if (gap >= least) return undefined
  const example = least <= 15 ? `*/15 * * * *` : least <= 60 ? '0 * * * *' : '0 9 * * *'
  return `fires too often: a schedule may fire at most every ${least} minutes, for example ${example}`
}
