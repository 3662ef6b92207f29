import { Failure } from '@platform/kernel'
import type { z } from 'zod'

const MOST_PROBLEMS = 20
const LONGEST_PATH = 200
const MOST_PARAMETERS = 100

/** Parses a part of a request. Throws RequestValidationError with every problem and its path in `details`. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: 'body' | 'query',
): z.output<Schema> {
  const result = schema.safeParse(value, { error: phraseOf })
  if (result.success) return result.data
  const details = result.error.issues
    .slice(0, MOST_PROBLEMS)
    .flatMap((issue) => problemsOf(issue, part))
    .slice(0, MOST_PROBLEMS)
  const first = details[0]
  throw new Failure(
    'RequestValidationError',
    `${first?.path ?? part}: ${first?.message ?? 'is not valid'}.`,
    { details },
  )
}

/** An unknown key is reported at its own path, not at its parent's. */
function problemsOf(issue: z.core.$ZodIssue, part: string): { path: string; message: string }[] {
  const path = [part, ...issue.path].map(String).join('.').slice(0, LONGEST_PATH)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.slice(0, MOST_PROBLEMS).map((key) => ({
      path: `${path}.${key}`.slice(0, LONGEST_PATH),
      message: 'is not known here',
    }))
  }
  return [{ path, message: issue.message.replace(/\.$/, '') }]
}

const dates: Readonly<Record<string, string>> = {
  date: 'must be a date such as 2026-01-31',
  datetime: 'must be an instant such as 2026-01-31T10:00:00Z',
}

/** What follows the path in a sentence, for schemas that say nothing of their own; undefined leaves it to zod. */
function phraseOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_format') return dates[String(issue.format)]
  if (issue.code !== 'invalid_type') return undefined
  if (issue.input === undefined) return 'is required'
  return `must be ${/^[aeio]/.test(issue.expected) ? 'an' : 'a'} ${issue.expected}`
}

/**
 * The query of a URL; a repeated name becomes an array. Throws RequestValidationError for NUL and for more than 100
 * parameters.
 */
export function parseQuery(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null)
  const start = url.indexOf('?')
  if (start < 0) return query
  const given = new URLSearchParams(url.slice(start + 1))
  requirePlain(given)
  for (const [name, value] of given) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (Array.isArray(before)) before.push(value)
    else query[name] = [before, value]
  }
  return query
}

function requirePlain(given: URLSearchParams): void {
  if (given.size > MOST_PARAMETERS)
    throw new Failure('RequestValidationError', `The query has more than ${MOST_PARAMETERS} parameters.`)
  for (const [name, value] of given)
    if (name.includes('\u0000') || value.includes('\u0000'))
      throw new Failure('RequestValidationError', 'The query holds a NUL character.')
}
