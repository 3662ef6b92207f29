import type { Aggregation, CompositeKey, CompositeSource } from '@platform/search'
import { z } from 'zod'
import { onlyEntry, type Reading, read, refusal } from '../reading.ts'
import { type AggregationPosition, aggregatedPath, noScript, Size } from './aggregation-position.ts'
import { IntervalFields, readInterval } from './interval.ts'

const SOURCES_MAX = 10
const Composite = z.strictObject({
  size: Size,
  sources: z.array(z.unknown()).min(1).max(SOURCES_MAX),
  after: z.record(z.string(), z.union([z.string(), z.number()], 'must be a text or a number')).optional(),
})
const missingBucket = z.literal(false, 'must be false: documents without the value are left out').optional()
const shared = {
  field: z.string(),
  order: z.enum(['asc', 'desc']).default('asc'),
  missing_bucket: missingBucket,
  script: noScript,
}
const Terms = z.strictObject(shared)
const DateHistogram = z.strictObject({ ...shared, ...IntervalFields })

/**
 * `composite`: pages through all combinations of the values of its sources; `after` is the `after_key` of the page
 * before.
 */
export function compositeAggregation(
  body: unknown,
  position: AggregationPosition,
  _reading: Reading,
): { aggregation: Aggregation; buckets: number } {
  if (position.depth > 1)
    throw refusal(position.path, 'must not be inside another aggregation: add its field to the sources')
  const { size, sources: given, after } = read(Composite, body, position.path)
  const sources = given.map((one, index) => readSource(one, `${position.path}.sources.${index}`, position))
  const names = new Set(sources.map(({ name }) => name))
  if (names.size < sources.length) throw refusal(`${position.path}.sources`, 'must have different names')
  if (after !== undefined) requireKey(after, names, `${position.path}.after`)
  return {
    aggregation: { composite: { sources, size, ...(after === undefined ? {} : { after }) } },
    buckets: size,
  }
}

function readSource(value: unknown, path: string, position: AggregationPosition): CompositeSource {
  const [name, definition] = onlyEntry(value, path, 'source')
  if (!/^[\w .:@-]{1,100}$/.test(name) || name === '__proto__')
    throw refusal(path, 'must have a name of letters and digits')
  const [kind, body] = onlyEntry(definition, `${path}.${name}`, 'kind of source')
  const at = { ...position, path: `${path}.${name}.${kind}` }
  if (kind === 'terms') {
    const { field, order } = read(Terms, body, at.path)
    return { name, terms: { path: aggregatedPath(field, at) }, order }
  }
  if (kind !== 'date_histogram')
    throw refusal(at.path, 'is no source that is taken: use terms or date_histogram')
  const { field, order, ...fields } = read(DateHistogram, body, at.path)
  const fieldPath = aggregatedPath(field, at)
  if (fieldPath !== 'createdAt')
    throw refusal(`${at.path}.field`, 'must be createdAt, the date that every event has')
  return { name, dateHistogram: { path: fieldPath, interval: readInterval(fields, at.path) }, order }
}

function requireKey(after: CompositeKey, names: ReadonlySet<string>, path: string): void {
  const given = Object.keys(after)
  if (given.length === names.size && given.every((name) => names.has(name))) return
  throw refusal(path, 'must have a value for each source, as in after_key')
}
