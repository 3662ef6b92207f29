import type { Aggregation } from '@platform/search'
import { z } from 'zod'
import { readQuery } from '../clauses/read-query.ts'
import { type Reading, read, refusal } from '../reading.ts'
import type { Place } from './place.ts'

const Filters = z.strictObject({
  filters: z.record(z.string().max(100), z.unknown(), 'must be an object with a name for each filter'),
  other_bucket: z.undefined('is not taken: write the other filter with must_not').optional(),
  other_bucket_key: z.undefined('is not taken: write the other filter with must_not').optional(),
})

/** `filters`: how many documents fulfil each of some queries. */
export function filtersAggregation(
  body: unknown,
  place: Place,
  reading: Reading,
): { aggregation: Aggregation; buckets: number } {
  const named = Object.entries(read(Filters, body, place.path).filters)
  if (named.length === 0) throw refusal(`${place.path}.filters`, 'must have at least one filter')
  const filters = Object.fromEntries(
    named.map(([name, query]) => {
      const path = `${place.path}.filters.${name}`
      if (name === '__proto__') throw refusal(path, 'must have another name')
      return [name, readQuery(query, path, reading)]
    }),
  )
  return { aggregation: { filters }, buckets: named.length }
}
