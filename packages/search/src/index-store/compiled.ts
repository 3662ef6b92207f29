import type { AggregationResult, AggregationResults, Aggregations } from '../aggregation.ts'

/** What the store responds to aggregations, by the names they were asked under. */
export type Found = Record<string, FoundAggregation | undefined>

export interface FoundAggregation {
  value?: number | null
  sum_other_doc_count?: number
  buckets?: FoundBucket[]
}

export type FoundBucket = { key: unknown; doc_count: number } & Record<string, unknown>

/** An aggregation as it is asked, and how its response is read. Names begin with that of the aggregation. */
export interface Compiled {
  request: Record<string, object>
  read(found: Found): AggregationResult
}

export interface CompiledAll {
  request: Record<string, object>
  read(found: Found): AggregationResults
}

/** What compiling needs to know: the texts at the paths of date histograms, which are looked up before. */
export interface Compiling {
  datesAt: ReadonlyMap<string, readonly string[]>
  depth: number
  all(aggregations: Aggregations, compiling: Compiling): CompiledAll
}

/** Aggregations within, as the store wants them: left out where there are none. */
export const within = ({ request }: CompiledAll): object =>
  Object.keys(request).length === 0 ? {} : { aggregations: request }

/** The part of a bucket that all results have. */
export const readWithin = (inner: CompiledAll, bucket: FoundBucket) =>
  Object.keys(inner.request).length === 0 ? {} : { aggregations: inner.read(bucket as Found) }
