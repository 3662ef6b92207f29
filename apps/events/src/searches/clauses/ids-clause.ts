import type { Filter } from '@platform/search'
import { z } from 'zod'
import { type Reading, read, takeClauses } from '../reading.ts'
import { withoutBoost } from './field-clause.ts'

/** `ids`: events by their ids. */
export function idsClause(clause: unknown, path: string, reading: Reading): Filter {
  const { values } = read(z.strictObject({ values: z.array(z.string()) }), withoutBoost(clause), path)
  takeClauses(reading, Math.max(1, values.length), `${path}.values`)
  return { path: 'id', in: values }
}
