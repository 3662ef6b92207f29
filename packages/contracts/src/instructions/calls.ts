import { z } from 'zod'
import { fields, OutputName, Template, templated } from './templated.ts'

/** `rateLimit`: counts against a limit of the whole cluster; `window` is in seconds. */
export const RateLimitArguments = fields({
  name: z.string().min(1).max(1000).describe('Uses of one name count together.'),
  window: templated(z.number().positive()).describe('Seconds.'),
  limit: templated(z.number().nonnegative()).describe('Most uses within any window.'),
  consumer: z.string().min(1).max(1000).describe('Who has the limit, for example {{user.id}}.'),
  consume: templated(z.number().nonnegative())
    .optional()
    .describe('How much is used, 1 without it; 0 only looks.'),
  break: templated(z.boolean()).optional().describe('false: the automation goes on where there is no room.'),
  output: OutputName.optional(),
})
export type RateLimitArguments = z.infer<typeof RateLimitArguments>

/** `run`: a function of a built-in module. */
export const RunArguments = fields({
  module: z.string().min(1).max(1000),
  function: z.string().min(1).max(1000),
  parameters: z.unknown().optional(),
  onError: templated(z.enum(['break', 'emit', 'continue']))
    .optional()
    .describe('break unless stated.'),
  output: OutputName.optional(),
})
export type RunArguments = z.infer<typeof RunArguments>

/** `Custom Code.run`: a function that the workspace declares in code. */
export const CustomCodeArguments = fields({
  function: z.string().min(1).max(1000).describe('Name of a declared function.'),
  parameters: z.unknown().optional().describe('An object: name → value.'),
  onError: templated(z.enum(['break', 'emit', 'continue']))
    .optional()
    .describe('break unless stated; as with run.'),
  output: OutputName.optional(),
})
export type CustomCodeArguments = z.infer<typeof CustomCodeArguments>

/** `runWorkflow`: another automation, also of another workspace, waited for unless `wait` is false. */
export const RunWorkflowArguments = fields({
  workflow: z.string().min(1).max(1000),
  workspace: z
    .string()
    .max(1000)
    .optional()
    .describe('Of which it is, where not of this one: an id, or slug:<slug>.'),
  parameters: z.unknown().optional(),
  wait: templated(z.boolean()).optional(),
  output: OutputName.optional(),
})
export type RunWorkflowArguments = z.infer<typeof RunWorkflowArguments>

/** `auth`: what shows the workspace in calls of the platform itself. */
export const AuthArguments = fields({
  workspace: templated(z.boolean()).optional().describe('true; there is no other kind.'),
  service: z.string().max(1000).optional().describe('Means nothing here.'),
  with: z.unknown().optional().describe('Means nothing here.'),
  output: OutputName.optional(),
})
export type AuthArguments = z.infer<typeof AuthArguments>

/** A call of an automation: any arguments, and `output`; nothing at all is a call without arguments. */
export const CallArguments = z.union([z.looseObject({ output: OutputName.optional() }), Template, z.null()])
export type CallArguments = z.infer<typeof CallArguments>
