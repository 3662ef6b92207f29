import type { Aggregation } from '@platform/search'
import { z } from 'zod'
import { type Reading, read, refusal } from '../reading.ts'
import { type AggregationPosition, aggregatedPath, noScript } from './aggregation-position.ts'

const Metric = z.strictObject({
  field: z.string(),
  missing: z.undefined('is not taken: documents without the field are left out').optional(),
  script: noScript,
})
const Cardinality = Metric.extend({ precision_threshold: z.number().optional() })

/** Fields whose values are never numbers. */
const texts = /^(type|id|createdAt)$/

/** `sum`, `avg`, `min` and `max` of the numbers of a field. */
export const metricAggregation =
  (metric: 'sum' | 'avg' | 'min' | 'max') =>
  (body: unknown, position: AggregationPosition, _reading: Reading): { aggregation: Aggregation } => {
    const path = aggregatedPath(read(Metric, body, position.path).field, position)
    if (texts.test(path))
      throw refusal(
        `${position.path}.field`,
        'must be a field with numbers: for the first or last event sort by createdAt',
      )
    return { aggregation: { metric, path } }
  }

/**
 * `cardinality`: how many different values a field has. They are counted exactly, whatever `precision_threshold`
 * says.
 */
export function cardinalityAggregation(
  body: unknown,
  position: AggregationPosition,
  _reading: Reading,
): { aggregation: Aggregation } {
  const { field } = read(Cardinality, body, position.path)
  return { aggregation: { cardinality: { path: aggregatedPath(field, position) } } }
}
