import type { Aggregation, Aggregations } from '../aggregation.ts'
import { requireDepth } from '../aggregation-checks.ts'
import { compileComposite } from './compile-composite.ts'
import { compileDates } from './compile-dates.ts'
import { bucketsOf, compileCardinality, compileMetric, compileTerms } from './compile-terms.ts'
import { type Compiled, type CompiledAll, type Compiling, readWithin, within } from './compiled.ts'
import { DATE_FIELD } from './indexed-document.ts'
import { toQuery } from './to-query.ts'

/**
 * All aggregations of a question in the store's language, and how the response is read. Throws SearchError where they
 * nest too deep.
 */
export function compileAll(aggregations: Aggregations, compiling: Compiling): CompiledAll {
  const entries = Object.entries(aggregations)
  // Names of a question may have characters that the store doesn't take.
  const compiled = entries.map(([name, aggregation], index) => ({
    name,
    part: compileOne(`a${index}`, aggregation, compiling),
  }))
  return {
    request: Object.assign({}, ...compiled.map(({ part }) => part.request)),
    read: (found) => Object.fromEntries(compiled.map(({ name, part }) => [name, part.read(found)])),
  }
}

function compileOne(name: string, aggregation: Aggregation, compiling: Compiling): Compiled {
  if ('metric' in aggregation) return compileMetric(name, aggregation.metric, aggregation.path)
  if ('cardinality' in aggregation) return compileCardinality(name, aggregation.cardinality.path)
  if ('composite' in aggregation) return compileComposite(name, aggregation, compiling)
  const inner = compileAll(aggregation.aggregations ?? {}, { ...compiling, depth: compiling.depth + 1 })
  if ('terms' in aggregation) return compileTerms(name, aggregation.terms, inner)
  if ('dateHistogram' in aggregation) return compileDates(name, aggregation.dateHistogram, inner, compiling)
  return compileFilters(name, aggregation.filters, inner)
}

type Filters = Extract<Aggregation, { filters: unknown }>['filters']

function compileFilters(name: string, filters: Filters, inner: CompiledAll): Compiled {
  const names = Object.keys(filters)
  if (names.length === 0) return { request: {}, read: () => ({ filters: {} }) }
  const queries = Object.values(filters).map(toQuery)
  return {
    request: { [name]: { filters: { filters: queries }, ...within(inner) } },
    read: (found) => {
      const buckets = bucketsOf(found, name)
      const read = buckets.map((bucket, index) => {
        const result = { count: bucket.doc_count, ...readWithin(inner, bucket) }
        return [names[index] ?? '', result] as const
      })
      return { filters: Object.fromEntries(read) }
    },
  }
}

/** Refuses what nests too deep, and returns the paths whose texts are read as dates. */
export function datePathsOf(aggregations: Aggregations, depth = 0): string[] {
  requireDepth(depth, aggregations)
  const paths = Object.values(aggregations).flatMap((aggregation) => [
    ...ownDatePaths(aggregation),
    ...datePathsOf(('aggregations' in aggregation ? aggregation.aggregations : undefined) ?? {}, depth + 1),
  ])
  return [...new Set(paths)].filter((path) => path !== DATE_FIELD)
}

function ownDatePaths(aggregation: Aggregation): string[] {
  if ('dateHistogram' in aggregation) return [aggregation.dateHistogram.path]
  if (!('composite' in aggregation)) return []
  return aggregation.composite.sources.flatMap((source) =>
    'dateHistogram' in source ? [source.dateHistogram.path] : [],
  )
}
