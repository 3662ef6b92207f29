import type { Aggregation } from '@platform/search'
import { z } from 'zod'
import { readQuery } from '../clauses/read-query.ts'
import { type Reading, read, refusal } from '../reading.ts'
import { type AggregationPosition, aggregatedPath, noScript, Size } from './aggregation-position.ts'
import { IntervalFields, readInterval } from './interval.ts'

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
  position: AggregationPosition,
  _reading: Reading,
): { aggregation: Aggregation; buckets: number } {
  const { field, size, order } = read(Terms, body, position.path)
  const path = aggregatedPath(field, position)
  const byKey = order !== undefined && '_key' in order
  return { aggregation: { terms: { path, size, order: byKey ? 'key' : 'count' } }, buckets: size }
}

const Filters = z.strictObject({
  filters: z.record(z.string().max(100), z.unknown(), 'must be an object with a name for each filter'),
  other_bucket: z.undefined('is not taken: write the other filter with must_not').optional(),
  other_bucket_key: z.undefined('is not taken: write the other filter with must_not').optional(),
})

/** `filters`: how many documents fulfil each of some queries. */
export function filtersAggregation(
  body: unknown,
  position: AggregationPosition,
  reading: Reading,
): { aggregation: Aggregation; buckets: number } {
  const named = Object.entries(read(Filters, body, position.path).filters)
  if (named.length === 0) throw refusal(`${position.path}.filters`, 'must have at least one filter')
  const filters = Object.fromEntries(
    named.map(([name, query]) => {
      const path = `${position.path}.filters.${name}`
      if (name === '__proto__') throw refusal(path, 'must have another name')
      return [name, readQuery(query, path, reading)]
    }),
  )
  return { aggregation: { filters }, buckets: named.length }
}

const DateHistogram = z.strictObject({
  field: z.string(),
  ...IntervalFields,
  min_doc_count: z.literal([0, 1], 'must be 0 or 1').default(0),
  order: z.undefined('is not taken: spans come in their order').optional(),
  script: noScript,
})

/** A day of hours, a year of weeks: what a histogram inside another aggregation, or around one, is counted as. */
const USUAL_SPANS = 100

/**
 * `date_histogram`: documents by spans of `createdAt`, empty spans between full ones included unless `min_doc_count`
 * is 1.
 */
export function dateHistogramAggregation(
  body: unknown,
  position: AggregationPosition,
  _reading: Reading,
): { aggregation: Aggregation; buckets: number } {
  const { field, min_doc_count: minCount, ...fields } = read(DateHistogram, body, position.path)
  const path = aggregatedPath(field, position)
  if (path !== 'createdAt')
    throw refusal(`${position.path}.field`, 'must be createdAt, the date that every event has')
  const interval = readInterval(fields, position.path)
  return { aggregation: { dateHistogram: { path, interval, minCount } }, buckets: USUAL_SPANS }
}
