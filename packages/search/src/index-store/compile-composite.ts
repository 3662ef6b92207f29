import { byCodePoints } from '@platform/kernel'
import {
  type Aggregation,
  type AggregationResults,
  type Aggregations,
  type CompositeKey,
  type CompositeSource,
  DISTINCT_MAX,
} from '../aggregation.ts'
import { bucketsOf } from './compile-terms.ts'
import { type Compiled, type Compiling, type FoundBucket, readWithin, within } from './compiled.ts'
import { storeInterval } from './date-spans.ts'
import { DATE_FIELD, TEXT_FIELDS } from './indexed-document.ts'
import { tooManyValues } from './store.ts'

type CompositeAggregation = Extract<Aggregation, { composite: unknown }>
type Composite = CompositeAggregation['composite']
interface Combination {
  key: CompositeKey
  count: number
  aggregations?: AggregationResults
}

/** Pages through combinations: in the store where all sources are fields at the top level, else in memory. */
export function compileComposite(
  name: string,
  aggregation: CompositeAggregation,
  compiling: Compiling,
): Compiled {
  const { composite, aggregations = {} } = aggregation
  const isNative = compiling.depth === 0 && composite.sources.every(isField)
  return isNative
    ? native(name, composite, aggregations, compiling)
    : nested(name, composite, aggregations, compiling)
}

const isField = (source: CompositeSource): boolean =>
  'terms' in source ? TEXT_FIELDS.has(source.terms.path) : source.dateHistogram.path === DATE_FIELD

function native(
  name: string,
  { sources, size, after }: Composite,
  aggregations: Aggregations,
  compiling: Compiling,
): Compiled {
  const inner = compiling.all(aggregations, { ...compiling, depth: compiling.depth + 1 })
  const asked = sources.map((source, index) => ({ [`s${index}`]: sourceOf(source) }))
  const afterKey = Object.fromEntries(sources.map((source, index) => [`s${index}`, after?.[source.name]]))
  const composite = { sources: asked, size, ...(after === undefined ? {} : { after: afterKey }) }
  return {
    request: { [name]: { composite, ...within(inner) } },
    read: (found) =>
      pageOf(
        bucketsOf(found, name).map((bucket: FoundBucket) => {
          const key = bucket.key as Record<string, string | number>
          const named = sources.map((source, index) => [source.name, key[`s${index}`] ?? ''] as const)
          return { key: Object.fromEntries(named), count: bucket.doc_count, ...readWithin(inner, bucket) }
        }),
      ),
  }
}

const sourceOf = (source: CompositeSource): object =>
  'terms' in source
    ? { terms: { field: source.terms.path, order: source.order } }
    : {
        date_histogram: {
          field: DATE_FIELD,
          ...storeInterval(source.dateHistogram.interval),
          order: source.order,
        },
      }

/** One aggregation within the other, and all combinations of them in memory; their number is bounded. */
function nested(
  name: string,
  { sources, size, after }: Composite,
  aggregations: Aggregations,
  compiling: Compiling,
): Compiled {
  const nesting = sources.reduceRight<Aggregations>(
    (inside, source) => ({ next: { ...bucketsFor(source), aggregations: inside } }),
    aggregations,
  )
  const inner = compiling.all(nesting, { ...compiling, depth: compiling.depth + 1 })
  const order = orderOf(sources)
  return {
    request: Object.fromEntries(
      Object.entries(inner.request).map(([key, value]) => [`${name}.${key}`, value]),
    ),
    read: (found) => {
      const own = Object.entries(found).filter(([key]) => key.startsWith(`${name}.`))
      const results = inner.read(
        Object.fromEntries(own.map(([key, value]) => [key.slice(name.length + 1), value])),
      )
      const all = combinationsOf(results, sources, Object.keys(aggregations).length > 0).sort((a, b) =>
        order(a.key, b.key),
      )
      const rest = after === undefined ? all : all.filter(({ key }) => order(key, after) > 0)
      return pageOf(rest.slice(0, size))
    },
  }
}

const bucketsFor = (source: CompositeSource): Aggregation =>
  'terms' in source
    ? { terms: { path: source.terms.path, size: DISTINCT_MAX, order: 'key' } }
    : { dateHistogram: { ...source.dateHistogram, minCount: 1 } }

function combinationsOf(
  results: AggregationResults,
  [source, ...others]: readonly CompositeSource[],
  hasMore: boolean,
): Combination[] {
  const { next } = results
  if (source === undefined || next === undefined || !('buckets' in next)) return []
  if ((next.otherCount ?? 0) > 0) throw tooManyValues(`of ${source.name}`)
  return next.buckets.flatMap(({ key, count, aggregations = {} }): Combination[] => {
    const named = { [source.name]: key }
    if (others.length === 0) return [{ key: named, count, ...(hasMore ? { aggregations } : {}) }]
    const inside = combinationsOf(aggregations, others, hasMore)
    return inside.map((combination) => ({ ...combination, key: { ...named, ...combination.key } }))
  })
}

function orderOf(sources: readonly CompositeSource[]) {
  const orders = sources.map(({ name, order }) => (a: CompositeKey, b: CompositeKey) => {
    const compared = compare(a[name] ?? '', b[name] ?? '')
    return order === 'asc' ? compared : -compared
  })
  return (a: CompositeKey, b: CompositeKey): number =>
    orders.map((order) => order(a, b)).find((compared) => compared !== 0) ?? 0
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : byCodePoints(String(a), String(b))

function pageOf(composite: Combination[]) {
  const last = composite.at(-1)
  return last === undefined ? { composite } : { composite, afterKey: last.key }
}
