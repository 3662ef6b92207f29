import type { z } from 'zod'
import { familiesOf, membersOf } from './families.ts'

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

/**
 * Environment in, frozen typed configuration out. Throws ConfigError naming every variable that is wrong. Empty means
 * unset.
 */
export function readConfig<Schema extends z.ZodType>(schema: Schema, env: Env): z.output<Schema> {
  const given: Record<string, unknown> = Object.fromEntries(
    Object.entries(withProxiesInCapitals(env)).filter(([, value]) => value !== undefined && value !== ''),
  )
  for (const [name, beginning] of familiesOf(schema))
    given[name] = Object.fromEntries(membersOf(beginning, env))
  const result = schema.safeParse(given, { error: phraseOf })
  if (result.success) return freeze(result.data)
  const problems = result.error.issues.map(
    ({ path, message }) =>
      `${path.map(String).join('.') || 'The environment'} ${message.replace(/\.$/, '')}.`,
  )
  throw new ConfigError([...new Set(problems)])
}

/** Many systems name proxies in lower case. */
function withProxiesInCapitals(given: Env): Env {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const
  const added = names.filter((name) => !given[name] && given[name.toLowerCase()])
  return added.length === 0
    ? given
    : { ...given, ...Object.fromEntries(added.map((name) => [name, given[name.toLowerCase()]])) }
}

/** Configuration is read-only, down to the last group. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value
  for (const item of Object.values(value)) freeze(item)
  return Object.freeze(value)
}

/**
 * What follows the name of a variable in a sentence, for fields that say nothing of their own; never the value, it
 * may be secret.
 */
function phraseOf(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined) return 'is required'
  if (issue.code === 'invalid_value') return `must be ${oneOf(issue.values.map(String))}`
  if (issue.code === 'invalid_type')
    return `must be a ${issue.expected === 'int' ? 'whole number' : issue.expected}`
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
  return 'is not valid'
}

const oneOf = (values: string[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`

const unitOf = (origin: string): string => (origin === 'string' ? ' characters long' : '')
