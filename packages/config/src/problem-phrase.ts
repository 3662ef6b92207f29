import type { z } from 'zod'

/**
 * What follows the name of a variable in a sentence, for fields that say nothing of their own; never the value, it
 * may be secret.
 */
export function phraseOf(issue: z.core.$ZodRawIssue): string {
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
