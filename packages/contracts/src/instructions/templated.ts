import { z } from 'zod'

/** A text that is worked out when the instruction runs: it holds `{{variable}}` or `{% expression %}`. */
export const Template = z
  .string()
  .refine((text) => text.includes('{{') || text.includes('{%'), {
    message: 'must be a template such as {{name}}',
    // The other half of a union then says what it wants instead of a template.
    abort: true,
  })

/** A value written down, or a template whose result will be one. */
export const templated = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, Template])

/** Where a result is put: the name of a variable or a path, possibly with templates in it. */
export const OutputName = z.string().max(1000).describe('Variable that receives the result.')

/** Steps one after another. Each step is checked on its own: `readStep` says which instruction it is. */
export const Steps = z.array(z.record(z.string(), z.unknown()))
export type Steps = z.infer<typeof Steps>

/** Names with any values, or a template whose result is an object. */
export const TemplatedRecord = templated(z.record(z.string(), z.unknown()))
