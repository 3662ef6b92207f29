import type { z } from 'zod'

/** The environment of a process, handed in by main. */
export type Env = Record<string, string | undefined>

/** Every problem of an environment at once, as sentences. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Environment in, frozen typed configuration out. Throws ConfigError naming every variable that is wrong. Empty means unset. */
export function readConfig<Schema extends z.ZodType>(schema: Schema, env: Env): z.output<Schema> {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const result = schema.safeParse(given)
  if (result.success) return Object.freeze(result.data) as z.output<Schema>
  throw new ConfigError(
    result.error.issues.map((issue) => `${issue.path.join('.') || 'environment'} ${issue.message}.`),
  )
}
