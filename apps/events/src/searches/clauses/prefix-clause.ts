import type { Filter } from '@platform/search'
import { z } from 'zod'
import { isRecord, type Reading, read, refusal, takeClauses } from '../reading.ts'
import { fieldClause } from './field-clause.ts'

const Options = z.strictObject({
  value: z.string(),
  case_insensitive: z.literal(false, 'must be false: texts are compared as they are').optional(),
})

/** `prefix`: the beginning of a value. */
export function prefixClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  const prefix = isRecord(argument) ? read(Options, argument, at).value : read(z.string(), argument, at)
  if (prefix === '') throw refusal(at, 'must not be empty: use exists')
  if (prefix.includes('*'))
    throw refusal(at, 'must not contain "*", which is always a wildcard here: use term')
  if (field === 'createdAt') throw refusal(at, 'is a date: use range')
  takeClauses(reading, 1, at)
  return { path: field, like: `${prefix}*` }
}
