import { z } from 'zod'
import { limits } from './limits.ts'

/** What becomes of the times that no process was up for. */
export const MissedPolicy = z.enum(['once', 'skip', 'all'])

const cron = z.string().max(100)

/** A schedule with its time zone. */
export const DetailedSchedule = z.strictObject({
  cron: cron.describe('Five fields: minute, hour, day, month, weekday.'),
  timezone: z.string().max(60).optional().describe('For example Europe/Paris; UTC without it.'),
  missed: MissedPolicy.optional().describe(
    'What becomes of times that no process was up for: `once` (without it) is one run for all of them, `skip` ' +
      'none, `all` one for each of the last hundred.',
  ),
})

/** When time starts an automation: a cron of five fields, alone or with more beside it. */
const Schedule = z.union([cron, DetailedSchedule])

const path = z.string().max(limits.endpointLength)

/** The URL of an automation: true for its slug, a path, or a path with what is promised to callers. */
const UrlTrigger = z.union([
  z.boolean(),
  path,
  z.strictObject({
    path: path.min(1).optional().describe('The slug without it.'),
    idempotent: z
      .boolean()
      .optional()
      .describe(
        'true: a call repeated with the same `Idempotency-Key` within 24 h runs nothing and gets the first answer.',
      ),
  }),
])

/** What starts an automation; all three may stand together. */
export const When = z.strictObject({
  events: z.array(z.string().min(1).max(200)).max(200).optional(),
  endpoint: UrlTrigger.optional(),
  schedules: z.array(Schedule).max(50).optional(),
})
export type When = z.infer<typeof When>

/**
 * One step: a record of exactly one instruction or call (beside `output` of some forms). Checked in depth when saved.
 */
export const Instruction = z.record(z.string(), z.unknown())
export type Instruction = z.infer<typeof Instruction>
