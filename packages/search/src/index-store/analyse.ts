import { type AggregationResults, BUCKETS_MAX, DISTINCT_MAX } from '../aggregation.ts'
import { unsupported } from '../aggregation-checks.ts'
import type { Analysis, AnalysisQuery, SortBy } from '../search.ts'
import { compileAll, datePathsOf } from './compile.ts'
import { bucketsOf, leafSource } from './compile-terms.ts'
import type { Found } from './compiled.ts'
import { DATE_FIELD, eventOf, isSortable } from './indexed-document.ts'
import { searchStream } from './search-request.ts'
import type { IndexContext } from './store.ts'
import { tooManyValues } from './store.ts'
import { type Query, toQuery } from './to-query.ts'

/** Documents and numbers of one stream, or of all (port search.ts, `analyse`). */
export async function analyse(
  context: IndexContext,
  stream: string | undefined,
  { filter, aggregations, limit, offset, sort, countAll }: AnalysisQuery,
): Promise<Analysis> {
  const query = toQuery(filter)
  const datesAt = await textsAt(context, stream, query, datePathsOf(aggregations))
  const compiled = compileAll(aggregations, { datesAt, depth: 0, all: compileAll })
  const result = await searchStream(context, stream, {
    query,
    from: offset,
    size: limit,
    sort: sortOf(sort),
    track_total_hits: countAll,
    ...(Object.keys(compiled.request).length === 0 ? {} : { aggregations: compiled.request }),
  })
  const read = compiled.read((result?.aggregations ?? {}) as Found)
  if (countBuckets(read) > BUCKETS_MAX) throw tooManyValues('in all buckets together')
  return {
    documents: (result?.hits.hits ?? []).map(({ _source }) => eventOf(_source)),
    aggregations: read,
    ...(countAll ? { total: result?.hits.total?.value ?? 0 } : {}),
  }
}

function sortOf(sort: readonly SortBy[]): object[] {
  const fields = sort.map(({ path, order }) => {
    if (!isSortable(path))
      throw unsupported(`Documents can’t be sorted by ${path}; sort by createdAt, type, size or source.`)
    const unmapped = path === DATE_FIELD ? 'date' : 'keyword'
    return { [path]: { order, missing: '_last', unmapped_type: unmapped } }
  })
  return [...fields, { sequence: { order: 'desc', unmapped_type: 'long' } }]
}

/** The different texts that look like dates at paths, out of what the question is about. */
async function textsAt(
  context: IndexContext,
  stream: string | undefined,
  query: Query,
  paths: readonly string[],
): Promise<Map<string, string[]>> {
  if (paths.length === 0) return new Map()
  const sources = paths.map((path) => leafSource(path, '$', '[0-9]{4}-.*'))
  const asked = sources.map(({ source }, index) => [
    `d${index}`,
    { terms: { ...source, size: DISTINCT_MAX + 1 } },
  ])
  const result = await searchStream(context, stream, {
    query,
    size: 0,
    aggregations: Object.fromEntries(asked),
  })
  const found = (result?.aggregations ?? {}) as Found
  return new Map(
    paths.map((path, index) => {
      const buckets = bucketsOf(found, `d${index}`)
      if (buckets.length > DISTINCT_MAX) throw tooManyValues(`at ${path}`)
      return [path, buckets.map(({ key }) => String(key).slice(sources[index]?.begin.length))]
    }),
  )
}

function countBuckets(results: AggregationResults): number {
  return Object.values(results).reduce((sum, result) => {
    const buckets = bucketsIn(result)
    return sum + buckets.reduce((all, { aggregations }) => all + 1 + countBuckets(aggregations ?? {}), 0)
  }, 0)
}

function bucketsIn(result: AggregationResults[string]): { aggregations?: AggregationResults }[] {
  if ('buckets' in result) return result.buckets
  if ('composite' in result) return result.composite
  return 'filters' in result ? Object.values(result.filters) : []
}
