import type { Filter } from '@platform/search'
import { z } from 'zod'
import { fieldPath } from '../field.ts'
import { type Reading, read, takeClauses } from '../reading.ts'
import { withoutBoost } from './field-clause.ts'

/** `exists`: a field with a value that isn't null. */
export function existsClause(clause: unknown, path: string, reading: Reading): Filter {
  const { field } = read(z.strictObject({ field: z.string() }), withoutBoost(clause), path)
  takeClauses(reading, 1, path)
  return { not: { path: fieldPath(field, `${path}.field`), missing: true } }
}
