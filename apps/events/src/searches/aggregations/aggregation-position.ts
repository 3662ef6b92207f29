import { z } from 'zod'
import { fieldPath, refusal } from '../reading.ts'

/** Buckets of one aggregation, and of one inside others all together. */
const BUCKETS_MAX = 1000
const NESTED_BUCKETS_MAX = 10_000

/** Where an aggregation stands in a search. */
export interface AggregationPosition {
  path: string
  /** Levels of aggregations, counted from 1. */
  depth: number
  /** How many buckets there can be of what it is nested in, all together. */
  buckets: number
}

/** The number of buckets inside others. Throws when there can be too many. */
export function takeBuckets(outer: number, own: number, path: string): number {
  const all = outer * own
  if (all <= NESTED_BUCKETS_MAX) return all
  throw refusal(
    path,
    `can have more than ${NESTED_BUCKETS_MAX} buckets inside others: ask for smaller sizes, or for pages by composite`,
  )
}

/** The `size` of an aggregation with buckets. */
export const Size = z
  .int('must be a whole number')
  .min(1, 'must be at least 1')
  .max(BUCKETS_MAX, `must be at most ${BUCKETS_MAX}: page through more by composite`)
  .default(10)

/** Makes an aggregation by script refusable in a sentence: the grammar knows the key and takes no value for it. */
export const noScript = z.undefined('scripts do not run here: aggregate a field').optional()

/** The path of the `field` of an aggregation. */
export const aggregatedPath = (field: string, position: AggregationPosition): string =>
  fieldPath(field, `${position.path}.field`)
