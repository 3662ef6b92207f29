import { z } from 'zod'

/** What the language says of a function of a module. */
export interface ModuleFunction {
  readonly text: string
  /** Checked when the function is called, and when it is saved as far as no template is in the way. */
  readonly parameters: z.ZodType
}

/** Functions that an automation calls with `run`. */
export interface ModuleDescription {
  readonly text: string
  readonly functions: Readonly<Record<string, ModuleFunction>>
  /** Run by the tests. */
  readonly example: {
    readonly do: readonly Readonly<Record<string, unknown>>[]
    readonly output: unknown
    readonly gives: unknown
  }
}

/** A number; what comes out of a template as its text counts as well. */
export const numeric = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value),
    schema,
  )

/** true or false; what comes out of a template as its text counts as well. */
export const flag = () =>
  z.preprocess((value) => (value === 'true' ? true : value === 'false' ? false : value), z.boolean())

/** Text that a function takes and a template may have made of a number. */
export const text = (max: number) =>
  z.preprocess(
    (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
    z.string().max(max, `must have at most ${max} characters`),
  )
