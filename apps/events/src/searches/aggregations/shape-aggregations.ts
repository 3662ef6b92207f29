import type {
  Aggregation,
  AggregationResult,
  AggregationResults,
  Aggregations,
  Bucket,
  Interval,
} from '@platform/search'

type Shaped = Record<string, unknown>

/** The results of aggregations as Elasticsearch shapes them. */
export const shapeAggregations = (asked: Aggregations, results: AggregationResults): Shaped =>
  Object.fromEntries(
    Object.entries(asked).map(([name, aggregation]) => [
      name,
      shape(aggregation, results[name] ?? { value: null }),
    ]),
  )

function shape(aggregation: Aggregation, result: AggregationResult): Shaped {
  if ('value' in result) return { value: result.value }
  const inner = 'aggregations' in aggregation ? aggregation.aggregations : undefined
  if ('filters' in result) return { buckets: shapeFilters(result.filters, inner) }
  if ('composite' in result) {
    const buckets = result.composite.map((bucket) => ({ key: bucket.key, ...counted(bucket, inner) }))
    return result.afterKey === undefined ? { buckets } : { after_key: result.afterKey, buckets }
  }
  const interval = 'dateHistogram' in aggregation ? aggregation.dateHistogram.interval : undefined
  const buckets = result.buckets.map((bucket) => ({ ...keyOf(bucket, interval), ...counted(bucket, inner) }))
  return 'terms' in aggregation ? { sum_other_doc_count: result.otherCount ?? 0, buckets } : { buckets }
}

type Counted = { count: number; aggregations?: AggregationResults }

const counted = (bucket: Counted, inner: Aggregations | undefined): Shaped => ({
  doc_count: bucket.count,
  ...(inner === undefined ? {} : shapeAggregations(inner, bucket.aggregations ?? {})),
})

const shapeFilters = (filters: Record<string, Counted>, inner: Aggregations | undefined): Shaped =>
  Object.fromEntries(Object.entries(filters).map(([name, bucket]) => [name, counted(bucket, inner)]))

function keyOf({ key }: Bucket, interval: Interval | undefined): Shaped {
  if (interval === undefined || typeof key !== 'number') return { key }
  const timeZone = 'timeZone' in interval ? interval.timeZone : undefined
  return {
    key,
    key_as_string: timeZone === undefined ? new Date(key).toISOString() : localIso(key, timeZone),
  }
}

/** An instant as a time zone writes it, with its offset: 2026-01-01T00:00:00.000+01:00. */
function localIso(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(ms)
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.slice(3) ?? ''
  if (offset === '') return new Date(ms).toISOString()
  const [hours = '0', minutes = '0'] = offset.slice(1).split(':')
  const offsetMs = (offset.startsWith('-') ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  return `${new Date(ms + offsetMs).toISOString().slice(0, -1)}${offset}`
}
