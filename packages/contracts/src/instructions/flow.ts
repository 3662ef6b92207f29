import { z } from 'zod'
import { fields, Steps, templated } from './templated.ts'

/** `conditions`: expression → steps, tried in the order written; `default` when none holds. */
export const ConditionsArguments = z.record(z.string(), Steps)
export type ConditionsArguments = z.infer<typeof ConditionsArguments>

/** `repeat`: steps for each item of `on`, or again and again `until` a count or a condition. */
export const RepeatArguments = fields({
  on: z.union([z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown())]).optional(),
  until: z
    .union([z.number(), z.string().min(1)])
    .optional()
    .describe('A count, also one that a variable has as a text, or an expression that ends it.'),
  do: Steps,
  batch: templated(
    z.strictObject({
      size: templated(z.number().positive()).optional(),
      interval: templated(z.number().nonnegative()).optional().describe('Milliseconds between groups.'),
    }),
  ).optional(),
}).refine(({ on, until }) => on !== undefined || until !== undefined, 'needs `on` or `until`')
export type RepeatArguments = z.infer<typeof RepeatArguments>

/** `all`: steps side by side; ends when all have ended. */
export const AllArguments = Steps
export type AllArguments = z.infer<typeof AllArguments>

/** `break`: ends the automation, the repeat, or everything up to the nearest `try`. */
export const BreakArguments = fields({
  scope: templated(z.enum(['automation', 'repeat', 'all'])).optional(),
  payload: z.unknown().optional(),
}).nullable()
export type BreakArguments = z.infer<typeof BreakArguments>

/** `try`: steps whose failure is caught; `finally` runs either way. */
export const TryArguments = fields({ do: Steps, catch: Steps.optional(), finally: Steps.optional() })
export type TryArguments = z.infer<typeof TryArguments>

/** `comment`: ignored, whatever it says. */
export const CommentArguments = z.string().nullable()
export type CommentArguments = z.infer<typeof CommentArguments>
