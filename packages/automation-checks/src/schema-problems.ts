import type { Path, Problem } from '@platform/source-texts'
import type { z } from 'zod'
import { hintForField } from './foreign-words.ts'

const kinds: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'a set of named fields',
  record: 'a set of named fields',
  string: 'a text',
  null: 'empty',
}

/**
 * What a schema finds wrong with a value, as problems of a definition. `owner` is what unknown fields do not belong
 * to.
 */
export function schemaProblems(schema: z.ZodType, value: unknown, path: Path, owner: string): Problem[] {
  const result = schema.safeParse(value)
  return result.success ? [] : result.error.issues.flatMap((issue) => problemsOf(issue, path, owner))
}

function problemsOf(issue: z.core.$ZodIssue, base: Path, owner: string): Problem[] {
  const path = [
    ...base,
    ...issue.path.map((segment) => (typeof segment === 'symbol' ? String(segment) : segment)),
  ]
  if (issue.code === 'unrecognized_keys') {
    const parent = issue.path.length === 0 ? owner : `${owner}.${issue.path.join('.')}`
    return issue.keys.map((key) => {
      const hint = path.length === 0 ? hintForField(key) : undefined
      const message = `is not a field of ${parent}${hint === undefined ? '' : `: ${hint}`}`
      return { path: [...path, key], message, onKey: true }
    })
  }
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((member) => !member.every(isOfOtherType)) ?? issue.errors[0]
    return meant === undefined
      ? [{ path, message: 'is not valid' }]
      : meant.flatMap((inner) => problemsOf(inner, path, owner))
  }
  return [{ path, message: messageOf(issue) }]
}

/**
 * A union lists what each of its members wants. The one that was meant takes values of this type; where none does, it
 * is the first, which is the plain form.
 */
const isOfOtherType = (issue: z.core.$ZodIssue): boolean =>
  issue.path.length === 0 &&
  (issue.code === 'invalid_type' ||
    (issue.code === 'invalid_union' && issue.errors.every((member) => member.every(isOfOtherType))))

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    const wanted = kinds[issue.expected] ?? `of type ${issue.expected}`
    return issue.message.endsWith('received undefined')
      ? `is missing: it must be ${wanted}`
      : `must be ${wanted}`
  }
  if (issue.code === 'invalid_value')
    return `must be ${issue.values.map((value) => `"${String(value)}"`).join(' or ')}`
  if (issue.code === 'too_big') return `is too large: at most ${issue.maximum}`
  if (issue.code === 'too_small') return `is too small: at least ${issue.minimum}`
  return issue.message.replace(/\.$/, '')
}
