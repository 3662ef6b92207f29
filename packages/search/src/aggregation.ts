import type { Filter } from './filter.ts'

/** Spans of the calendar in a time zone, and fixed spans such as `30m`, `6h`, `7d`. */
export type Interval =
  | { calendar: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year'; timeZone?: string }
  | { fixedMs: number }

/**
 * What is computed over the documents that a filter finds. Paths are those of filters; a list stands for its
 * elements, and a document counts once for each of its different values. Null is no value. Values are told apart by
 * their text form (`5` and `"5"` are one), by code points where they are ordered. Metrics take leaves that are JSON
 * numbers, date histograms ISO 8601 texts (`2026-05-04`, or an instant with `Z` or an offset); anything else is left
 * out. A time zone is an IANA name or an offset such as `+02:00`; weeks begin on Monday, fixed intervals at
 * 1970-01-01T00:00Z. At most `AGGREGATION_DEPTH` levels; more than `BUCKETS_MAX` buckets in one answer reject.
 */
export type Aggregation =
  /**
   * The most frequent values first, equally frequent ones by key; or all by key. `otherCount` is the sum of the
   * counts left out.
   */
  | { terms: { path: string; size: number; order: 'count' | 'key' }; aggregations?: Aggregations }
  /** In the order of time; with `minCount` 0 also the empty buckets between the first and the last. */
  | { dateHistogram: { path: string; interval: Interval; minCount: 0 | 1 }; aggregations?: Aggregations }
  | { filters: Record<string, Filter>; aggregations?: Aggregations }
  | {
      /**
       * Pages through all combinations, in the order of the sources. `after` is the `afterKey` of the page before,
       * which is the key of its last bucket and missing where there is none.
       */
      composite: { sources: CompositeSource[]; size: number; after?: CompositeKey }
      aggregations?: Aggregations
    }
  /** How many different values there are, counted exactly up to `DISTINCT_MAX`. */
  | { cardinality: { path: string } }
  | { metric: 'sum' | 'avg' | 'min' | 'max'; path: string }

export type Aggregations = Record<string, Aggregation>

/** A part of the key of a composite bucket; documents without the value are left out. */
export type CompositeSource =
  | { name: string; terms: { path: string }; order: 'asc' | 'desc' }
  | { name: string; dateHistogram: { path: string; interval: Interval }; order: 'asc' | 'desc' }

export type CompositeKey = Record<string, string | number>

/**
 * One bucket. A key of a date histogram is its first instant in Unix milliseconds, one of terms the text form of the
 * value.
 */
export interface Bucket {
  key: string | number
  count: number
  aggregations?: AggregationResults
}

/** What an aggregation found. A metric over no number at all is null, a sum 0. */
export type AggregationResult =
  | { buckets: Bucket[]; otherCount?: number }
  | { filters: Record<string, { count: number; aggregations?: AggregationResults }> }
  | {
      composite: { key: CompositeKey; count: number; aggregations?: AggregationResults }[]
      afterKey?: CompositeKey
    }
  | { value: number | null }

export type AggregationResults = Record<string, AggregationResult>

/** Different values that are told apart; an aggregation that meets more rejects with SearchError `TOO_MANY_VALUES`. */
export const DISTINCT_MAX = 10_000

/** Buckets of all levels in one answer; more reject with SearchError `TOO_MANY_VALUES`. */
export const BUCKETS_MAX = 50_000

/** Levels of aggregations within aggregations; more reject with SearchError `UNSUPPORTED`. */
export const AGGREGATION_DEPTH = 5
