import { DAY_MS } from '@platform/kernel'
import { Cron } from 'croner'
import { z } from 'zod'

/** When a cleanup runs: a cron pattern of five fields in a time zone. */
export interface Schedule {
  pattern: string
  timeZone: string
}

/** Longer ago, the next time will do. */
const MISSED_MS = DAY_MS

const cronOf = ({ pattern, timeZone }: Schedule) =>
  new Cron(pattern, { timezone: timeZone, paused: true, mode: '5-part' })

/**
 * True when the schedule had a time after `followedAt`, at most a day ago: a run that no process was up for is done
 * once by the next that starts.
 */
export function isDue(schedule: Schedule, followedAt: Date, now: Date): boolean {
  const [last] = cronOf(schedule).previousRuns(1, now)
  return last !== undefined && last > followedAt && now.getTime() - last.getTime() <= MISSED_MS
}

const isSchedule = (pattern: string): boolean => {
  try {
    return cronOf({ pattern, timeZone: 'UTC' }).nextRun() !== null
  } catch {
    return false
  }
}

const isTimeZone = (timeZone: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).format(0) !== ''
  } catch {
    return false
  }
}

const pattern = (preset: string) =>
  z
    .string()
    .default(preset)
    .refine(isSchedule, 'must be a cron pattern of five fields, for example "0 0 * * 0"')

/** The variables of the schedules, to be spread into the environment of the service. */
export const scheduleVariables = {
  CLEANUP_INDICES_SCHEDULE: pattern('0 0 * * 0').describe(
    'When expired events and inactive streams are deleted, as a cron pattern; Sunday at 00:00.',
  ),
  CLEANUP_EXECUTIONS_SCHEDULE: pattern('30 3 * * *').describe(
    'When old executions lose payload and output, as a cron pattern; every night at 03:30.',
  ),
  CLEANUP_TIME_ZONE: z
    .string()
    .default('UTC')
    .refine(isTimeZone, 'must be a time zone, for example UTC or Europe/Paris')
    .describe('Time zone of the two schedules.'),
}

type Values = { [K in keyof typeof scheduleVariables]: z.output<(typeof scheduleVariables)[K]> }

/** The schedules by the name of their cleanup. */
export type Schedules = Record<'indices' | 'executions', Schedule>

export const scheduleSettings = (env: Values): Schedules => ({
  indices: { pattern: env.CLEANUP_INDICES_SCHEDULE, timeZone: env.CLEANUP_TIME_ZONE },
  executions: { pattern: env.CLEANUP_EXECUTIONS_SCHEDULE, timeZone: env.CLEANUP_TIME_ZONE },
})
