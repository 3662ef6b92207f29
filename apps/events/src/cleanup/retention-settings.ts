import { days, positiveCount } from '@platform/config'
import { DAY_MS, HOUR_MS } from '@platform/kernel'
import { z } from 'zod'
import type { RetentionSettings } from './retention.ts'

/** A century; more would not be a date. */
const DAYS_MAX = 36_500
const DURATION = /^(\d{1,7})([dh])$/

/** What deletes may not be set to next to nothing by a slip. */
const safeDays = (preset: number) =>
  days(preset)
    .refine((value) => value >= 1, 'must be at least 1 day: less would delete what people still use')
    .refine((value) => value <= DAYS_MAX, `must be at most ${DAYS_MAX} days`)

const msOf = (text: string): number => {
  const [, amount, unit] = DURATION.exec(text) ?? []
  return Number(amount) * (unit === 'd' ? DAY_MS : HOUR_MS)
}

/** The variables of retention, to be spread into the environment of the service. */
export const retentionVariables = {
  EVENTS_RETENTION_DAYS: safeDays(1080).describe('Days an event is kept; at least 1.'),
  EVENTS_WORKSPACE_MAX_EVENTS: positiveCount(50).describe(
    'A workspace with fewer events loses them when it is inactive.',
  ),
  EVENTS_WORKSPACE_INACTIVITY_DAYS: safeDays(30).describe(
    'Days without an event after which a small workspace counts as inactive; at least 1.',
  ),
  EVENTS_EXECUTED_EXPIRATION: z
    .string()
    .regex(DURATION, 'must be a number with d (days) or h (hours), for example 14d')
    .default('14d')
    .refine((text) => msOf(text) >= DAY_MS, 'must be at least 1d: less would empty runs people still look at')
    .refine((text) => msOf(text) <= DAYS_MAX * DAY_MS, `must be at most ${DAYS_MAX}d`)
    .describe('When runtime.automations.executed loses its payload and its output: 14d, 336h; at least 1d.'),
  EVENTS_SCHEDULED_DELETION_DAYS: safeDays(30).describe(
    'Days from the deletion of a workspace to that of its events; at least 1.',
  ),
}

type Values = { [K in keyof typeof retentionVariables]: z.output<(typeof retentionVariables)[K]> }

/** The settings in the words of the rules. */
export const retentionSettings = (env: Values): RetentionSettings => ({
  retentionDays: env.EVENTS_RETENTION_DAYS,
  workspaceMaxEvents: env.EVENTS_WORKSPACE_MAX_EVENTS,
  workspaceInactivityDays: env.EVENTS_WORKSPACE_INACTIVITY_DAYS,
  executedExpirationMs: msOf(env.EVENTS_EXECUTED_EXPIRATION),
  scheduledDeletionDays: env.EVENTS_SCHEDULED_DELETION_DAYS,
})
