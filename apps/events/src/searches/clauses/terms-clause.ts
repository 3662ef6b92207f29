import type { Filter } from '@platform/search'
import { type Reading, refusal, takeClauses } from '../reading.ts'
import { equalToAny } from './equality.ts'
import { comparable, fieldClause } from './field-clause.ts'

/** `terms`: one of the values of a plain list. */
export function termsClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  if (!Array.isArray(argument))
    throw refusal(at, 'must be a list of values: values of other documents or indexes are not looked up')
  takeClauses(reading, Math.max(1, argument.length), at)
  const values = argument.map((value: unknown, index) => comparable(value, `${at}.${index}`))
  return equalToAny(field, values, reading, at)
}
