import { z } from 'zod'
import { fields, templated } from './templated.ts'

/** `set`: writes a variable. */
export const SetArguments = fields({
  name: z.string().min(1).max(1000).describe('Dotted path with [index]; `x[]` appends.'),
  value: z.unknown().refine((value) => value !== undefined, 'is missing'),
  type: templated(z.enum(['replace', 'merge', 'push'])).optional(),
  clone: templated(z.boolean())
    .optional()
    .describe('Values are never shared between variables: it changes nothing.'),
  lifespan: z
    .unknown()
    .optional()
    .describe('Seconds after which a key of a context that is kept ends, with all that is in it.'),
  lifespans: z.unknown().optional().describe('The same as lifespan.'),
  interface: z.string().optional().describe('Ignored: a note of editors.'),
  scope: z.string().max(100).optional().describe('Context of the variable; the path may name it as well.'),
})
export type SetArguments = z.infer<typeof SetArguments>

/** `delete`: removes a variable or a part of one. */
export const DeleteArguments = fields({
  name: z.string().min(1).max(1000),
  scope: z.string().max(100).optional(),
})
export type DeleteArguments = z.infer<typeof DeleteArguments>
