import type { Aggregation, Aggregations } from '@platform/search'
import { z } from 'zod'
import { DEPTH_MAX, type Reading, read, refusal, takeAggregation } from '../reading.ts'
import { type AggregationPosition, takeBuckets } from './aggregation-position.ts'
import { dateHistogramAggregation, filtersAggregation, termsAggregation } from './bucket-aggregations.ts'
import { compositeAggregation } from './composite-aggregation.ts'
import { cardinalityAggregation, metricAggregation } from './metric-aggregations.ts'

/** Reads what one kind computes, and how many buckets that can be at most; undefined where there are none. */
type Read = (
  body: unknown,
  position: AggregationPosition,
  reading: Reading,
) => { aggregation: Aggregation; buckets?: number }

const kinds: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['terms', termsAggregation],
  ['date_histogram', dateHistogramAggregation],
  ['filters', filtersAggregation],
  ['composite', compositeAggregation],
  ['cardinality', cardinalityAggregation],
  ['sum', metricAggregation('sum')],
  ['avg', metricAggregation('avg')],
  ['min', metricAggregation('min')],
  ['max', metricAggregation('max')],
])
const known = [...kinds.keys()].join(', ')

/** What a bucket says of itself, which a part of it can't be named like. */
const bucketFields: ReadonlySet<string> = new Set(['key', 'key_as_string', 'doc_count', 'buckets'])
const nameForm = /^[\w .:@-]{1,100}$/

/** The aggregations of a search by name. Throws RequestValidationError with the path of what isn't taken. */
export function readAggregations(
  value: unknown,
  position: AggregationPosition,
  reading: Reading,
): Aggregations {
  if (position.depth > DEPTH_MAX)
    throw refusal(
      position.path,
      `is nested deeper than the ${DEPTH_MAX} levels of aggregations that are taken`,
    )
  const named = Object.entries(read(z.record(z.string(), z.unknown()), value, position.path))
  return Object.fromEntries(
    named.map(([name, one]) => {
      const path = `${position.path}.${name}`
      if (!nameForm.test(name) || bucketFields.has(name) || name === '__proto__')
        throw refusal(path, 'must have a name of letters, digits and "_ .:@-" that no bucket uses itself')
      return [name, readAggregation(one, { ...position, path }, reading)]
    }),
  )
}

function readAggregation(value: unknown, position: AggregationPosition, reading: Reading): Aggregation {
  const { aggs, aggregations, meta, ...kindAndBody } = read(
    z.record(z.string(), z.unknown()),
    value,
    position.path,
  )
  takeAggregation(reading, position.path)
  if (meta !== undefined) throw refusal(`${position.path}.meta`, 'is not known here')
  const [entry, ...others] = Object.entries(kindAndBody)
  if (entry === undefined || others.length > 0)
    throw refusal(position.path, 'must name exactly one kind of aggregation')
  const [kind, body] = entry
  const path = `${position.path}.${kind}`
  const readKind = kinds.get(kind)
  if (readKind === undefined)
    throw refusal(path, refusedAggregations.get(kind) ?? `is no aggregation that is taken: use ${known}`)
  const { aggregation, buckets } = readKind(body, { ...position, path }, reading)
  const inner = aggs ?? aggregations
  if (inner === undefined) return aggregation
  const innerPath = `${position.path}.${aggs === undefined ? 'aggregations' : 'aggs'}`
  if (buckets === undefined) throw refusal(innerPath, `is not possible in ${kind}, which has no buckets`)
  const all = takeBuckets(position.buckets, buckets, innerPath)
  const within = { path: innerPath, depth: position.depth + 1, buckets: all }
  return { ...aggregation, aggregations: readAggregations(inner, within, reading) } as Aggregation
}

const useMetrics = 'is not taken: use sum, avg, min, max and cardinality side by side'
const useDates = 'is not taken: use filters with range'

/** Aggregations of the query language that are known and not taken, and what to use instead. */
const refusedAggregations: ReadonlyMap<string, string> = new Map([
  ['scripted_metric', 'scripts do not run here: use sum, avg, min, max or cardinality'],
  ['bucket_script', 'scripts do not run here: compute it from the buckets of the answer'],
  ['bucket_selector', 'scripts do not run here: choose among the buckets of the answer'],
  ['stats', useMetrics],
  ['extended_stats', useMetrics],
  ['percentiles', useMetrics],
  ['value_count', 'is not taken: use filters with exists, whose doc_count it is'],
  ['filter', 'is not taken: use filters with one name'],
  ['missing', 'is not taken: use filters with must_not and exists'],
  ['range', useDates],
  ['date_range', useDates],
  ['histogram', useDates],
  ['auto_date_histogram', 'is not taken: use date_histogram'],
  ['multi_terms', 'is not taken: use composite'],
  ['rare_terms', 'is not taken: use composite, which pages through all values'],
  ['significant_terms', 'is not taken: use terms'],
  ['significant_text', 'is not taken: use terms'],
  ['global', 'is not taken: every aggregation stays within the query'],
  ['nested', 'is not taken: a path leads through lists by itself'],
  ['top_hits', 'is not taken: ask for the documents in a search of their own'],
])
