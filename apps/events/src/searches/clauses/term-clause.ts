import type { Filter } from '@platform/search'
import { z } from 'zod'
import { isRecord, type Reading, read, takeClauses } from '../reading.ts'
import { equalToAny } from './equality.ts'
import { comparable, fieldClause } from './field-clause.ts'

const Options = z.strictObject({
  value: z.unknown(),
  case_insensitive: z.literal(false, 'must be false: texts are compared as they are').optional(),
})

/** `term`: the whole value of a field. */
export function termClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field, argument, path: at } = fieldClause(clause, path)
  const value = comparable(isRecord(argument) ? read(Options, argument, at).value : argument, at)
  takeClauses(reading, 1, at)
  return equalToAny(field, [value], reading, at)
}
