import { Failure } from '@platform/kernel'
import type { z } from 'zod'

/** Parses a part of a request; every problem is named with its path. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  part: 'body' | 'query',
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const details = result.error.issues.slice(0, 20).flatMap((issue) => problemsOf(issue, part))
  const first = details[0]
  throw new Failure(
    'RequestValidationError',
    `${first?.path ?? part}: ${first?.message ?? 'is not valid'}.`,
    { details },
  )
}

/** An unknown key is reported at its own path, not at its parent's. */
function problemsOf(issue: z.core.$ZodIssue, part: string): { path: string; message: string }[] {
  const path = [part, ...issue.path].map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: `${path}.${key}`, message: 'is not known here' }))
  return [{ path, message: issue.message.replace(/\.$/, '') }]
}

/** The query of a URL; a repeated name becomes an array. */
export function parseQuery(url: string): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = Object.create(null)
  const start = url.indexOf('?')
  if (start < 0) return query
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    if (name.includes('\u0000') || value.includes('\u0000')) {
      throw new Failure('RequestValidationError', 'The query holds a NUL character.')
    }
    const before = query[name]
    query[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return query
}
