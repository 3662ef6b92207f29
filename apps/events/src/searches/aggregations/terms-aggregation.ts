import type { Aggregation } from '@platform/search'
import { z } from 'zod'
import { type Reading, read } from '../reading.ts'
import { aggregatedPath, noScript, type Place, Size } from './place.ts'

const order = 'must be {"_count": "desc"} or {"_key": "asc"}'
const Terms = z.strictObject({
  field: z.string(),
  size: Size,
  order: z
    .union([z.strictObject({ _count: z.literal('desc') }), z.strictObject({ _key: z.literal('asc') })], order)
    .optional(),
  min_doc_count: z.literal(1, 'must be 1: values without documents are not known').optional(),
  script: noScript,
})

/** `terms`: the values of a field with how often they are there, the most frequent first. */
export function termsAggregation(
  body: unknown,
  place: Place,
  _reading: Reading,
): { aggregation: Aggregation; buckets: number } {
  const { field, size, order } = read(Terms, body, place.path)
  const path = aggregatedPath(field, place)
  const byKey = order !== undefined && '_key' in order
  return { aggregation: { terms: { path, size, order: byKey ? 'key' : 'count' } }, buckets: size }
}
