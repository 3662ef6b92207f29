import type { Aggregation } from '@platform/search'
import { z } from 'zod'
import { type Reading, read, refusal } from '../reading.ts'
import { IntervalFields, readInterval } from './interval.ts'
import { aggregatedPath, noScript, type Place } from './place.ts'

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
  place: Place,
  _reading: Reading,
): { aggregation: Aggregation; buckets: number } {
  const { field, min_doc_count: minCount, ...fields } = read(DateHistogram, body, place.path)
  const path = aggregatedPath(field, place)
  if (path !== 'createdAt')
    throw refusal(`${place.path}.field`, 'must be createdAt, the date that every event has')
  const interval = readInterval(fields, place.path)
  return { aggregation: { dateHistogram: { path, interval, minCount } }, buckets: USUAL_SPANS }
}
