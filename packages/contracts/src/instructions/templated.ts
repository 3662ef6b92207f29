import { z } from 'zod'

/** Whether a text is worked out when the instruction runs: it holds `{{variable}}` or `{% expression %}`. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

/** Such a text, where a value can't be written down. */
export const Template = z.string().refine(isTemplate, {
  message: 'must be a template such as {{name}}',
  // The other half of a union then says what it wants instead of a template.
  abort: true,
})

/** A value written down, or a template whose result will be one. */
export const templated = <Schema extends z.ZodType>(schema: Schema) => z.union([schema, Template])

/** Where a result is put: the name of a variable or a path, possibly with templates in it. */
export const OutputName = z.string().max(1000).describe('Variable that receives the result.')

/**
 * Steps one after another; `do:` with nothing behind it are none. Each step is checked on its own: `readStep` says
 * which instruction it is.
 */
export const Steps = z.preprocess(
  (value) => (value === null ? [] : value),
  z.array(z.record(z.string(), z.unknown())),
)
export type Steps = z.infer<typeof Steps>

/**
 * The fields of an instruction: unknown ones are refused, optional ones with nothing behind them (`headers:`) are as
 * good as missing, as forms and hand-written YAML leave them.
 */
export const fields = <Shape extends z.ZodRawShape>(shape: Shape) => {
  const droppable = new Set(
    Object.keys(shape).filter((name) => {
      const schema: z.core.$ZodType | undefined = shape[name]
      if (schema === undefined) return false
      return z.safeParse(schema, undefined).success && !z.safeParse(schema, null).success
    }),
  )
  const withoutEmpty = (value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const kept = Object.entries(value).filter(([name, item]) => item !== null || !droppable.has(name))
    return kept.length === Object.keys(value).length ? value : Object.fromEntries(kept)
  }
  return z.preprocess(withoutEmpty, z.strictObject(shape))
}

/** Names with any values, or a template whose result is an object. */
export const TemplatedRecord = templated(z.record(z.string(), z.unknown()))
