export type {
  Aggregation,
  AggregationResult,
  AggregationResults,
  Aggregations,
  Bucket,
  CompositeKey,
  CompositeSource,
  Interval,
} from './aggregation.ts'
export { AGGREGATION_DEPTH, BUCKETS_MAX, DISTINCT_MAX } from './aggregation.ts'
export { AskedDocument } from './asked-document.ts'
export { type Condition, compileFilter } from './compile-filter.ts'
export type { Filter } from './filter.ts'
export type { IndexOptions } from './index-store/open.ts'
export type { Log } from './log.ts'
export { matches } from './matches.ts'
export { isIndexUrl, openSearchIndex } from './open-search-index.ts'
export { keysOf } from './path.ts'
export { openLog } from './postgres/open-log.ts'
export { ensurePartitions } from './postgres/partitions.ts'
export type {
  Analysis,
  AnalysisQuery,
  PlacedDocument,
  Rejection,
  Retained,
  Search,
  SearchQuery,
  SortBy,
  StreamDocument,
  StreamSummary,
} from './search.ts'
export { SearchError, UNREACHABLE } from './search-error.ts'
export type { SearchIndex, ShardBudget } from './search-index.ts'
export { isScalar, type Scalar, textOf } from './text-of.ts'
export { wordsIn, wordsOf } from './words.ts'
