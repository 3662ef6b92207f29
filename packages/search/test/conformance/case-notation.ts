import type {
  Aggregation,
  AggregationResult,
  AggregationResults,
  Aggregations,
  CompositeKey,
  CompositeSource,
  Interval,
} from '../../src/aggregation.ts'
import type { AnalysisQuery } from '../../src/search.ts'

/**
 * A question about the corpus: `numbers` are the `payload.number` of the documents of the answer. What isn't expected
 * is empty.
 */
export type AnalysisCase = readonly [
  name: string,
  query: AnalysisQuery,
  expected: { numbers?: number[]; aggregations?: AggregationResults; total?: number },
]

/** A question about all documents, as far as it doesn’t say otherwise. */
export const asked = (aggregations: Aggregations, query: Partial<AnalysisQuery> = {}): AnalysisQuery => ({
  filter: { all: [] },
  aggregations,
  limit: 0,
  offset: 0,
  sort: [],
  countAll: false,
  ...query,
})

type Bucketed = Exclude<Aggregation, { metric: unknown } | { cardinality: unknown }>
type Order = 'asc' | 'desc'

export const termsOf = (path: string, size = 10, order: 'count' | 'key' = 'count') => ({
  terms: { path, size, order },
})
export const spansOf = (path: string, interval: Interval, minCount: 0 | 1 = 1) => ({
  dateHistogram: { path, interval, minCount },
})
export const valuesOf = (path: string) => ({ cardinality: { path } })
export const metricOf = (metric: 'sum' | 'avg' | 'min' | 'max', path: string) => ({ metric, path })
export const by = (name: string, path: string, order: Order = 'asc'): CompositeSource => ({
  name,
  terms: { path },
  order,
})
export const bySpan = (
  name: string,
  path: string,
  interval: Interval,
  order: Order = 'asc',
): CompositeSource => ({ name, dateHistogram: { path, interval }, order })
export const combinationsOf = (sources: CompositeSource[], size = 100, after?: CompositeKey) => ({
  composite: { sources, size, ...(after === undefined ? {} : { after }) },
})
export const within = (outer: Bucketed, aggregations: Aggregations): Aggregation => ({
  ...outer,
  aggregations,
})

/** An instant in Unix milliseconds. */
export const at = (text: string): number => Date.parse(text)

/** Buckets as `key count, key count`, or each with what is within it. */
type Entries<Key> =
  | string
  | readonly (readonly [key: Key, count: number, aggregations?: AggregationResults])[]

export const terms = (entries: Entries<string>, otherCount = 0): AggregationResult => ({
  buckets: bucketsOf(entries, (text) => text),
  otherCount,
})

export const dates = (entries: Entries<number>): AggregationResult => ({ buckets: bucketsOf(entries, at) })

/** Keys are written as `value + value`, in the order of the names. */
export function combinations(names: readonly string[], entries: Entries<string>): AggregationResult {
  const composite = bucketsOf(entries, (text) => text).map(({ key, ...rest }) => ({
    key: keyOf(names, key),
    ...rest,
  }))
  const last = composite.at(-1)
  return { composite, ...(last === undefined ? {} : { afterKey: last.key }) }
}

export const filters = (
  entries: Record<string, readonly [count: number, aggregations?: AggregationResults]>,
): AggregationResult => ({
  filters: Object.fromEntries(
    Object.entries(entries).map(([name, [count, aggregations]]) => [
      name,
      aggregations === undefined ? { count } : { count, aggregations },
    ]),
  ),
})

function bucketsOf<Key>(entries: Entries<Key>, read: (text: string) => Key) {
  if (typeof entries !== 'string')
    return entries.map(([key, count, aggregations]) =>
      aggregations === undefined ? { key, count } : { key, count, aggregations },
    )
  return entries.split(', ').map((entry) => {
    const space = entry.lastIndexOf(' ')
    return { key: read(entry.slice(0, space)), count: Number(entry.slice(space + 1)) }
  })
}

const keyOf = (names: readonly string[], text: string): CompositeKey => {
  const values = text.split(' + ').map((value) => (/^\d{4}-.*Z$/.test(value) ? at(value) : value))
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}
