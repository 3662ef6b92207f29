import { z } from 'zod'
import { limits } from './limits.ts'

export const Schedule = z.union([
  z.string().max(100),
  z.strictObject({ cron: z.string().max(100), timezone: z.string().max(60).optional() }),
])

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
