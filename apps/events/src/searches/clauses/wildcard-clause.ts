import type { Filter } from '@platform/search'
import { z } from 'zod'
import { countWildcards, WILDCARDS_MAX } from '../../event-log/event-path.ts'
import { isRecord, type Reading, read, refusal, takeClauses } from '../reading.ts'
import { fieldClause } from './field-clause.ts'

const Options = z.strictObject({
  value: z.string().optional(),
  wildcard: z.string().optional(),
  case_insensitive: z.literal(false, 'must be false: texts are compared as they are').optional(),
})

/** `wildcard`: `*` stands for any characters, but not at the beginning. */
export function wildcardClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  const pattern = patternOf(argument, at)
  if (field === 'createdAt') throw refusal(at, 'is a date: use range')
  takeClauses(reading, 1, at)
  return pattern.includes('*') ? { path: field, like: pattern } : { path: field, in: [pattern] }
}

function patternOf(argument: unknown, path: string): string {
  const options = isRecord(argument) ? read(Options, argument, path) : undefined
  const pattern =
    options === undefined ? read(z.string(), argument, path) : (options.value ?? options.wildcard)
  if (pattern === undefined) throw refusal(path, 'must have a value')
  if (pattern.startsWith('*'))
    throw refusal(path, 'must not begin with "*": all values would have to be read')
  if (pattern.includes('?')) throw refusal(path, 'must not contain "?": only "*" is a wildcard')
  if (pattern.includes('\\'))
    throw refusal(path, 'must not contain "\\": nothing is escaped here, use term or prefix')
  if (countWildcards(pattern) > WILDCARDS_MAX)
    throw refusal(path, `must have at most ${WILDCARDS_MAX} wildcards`)
  return pattern
}
