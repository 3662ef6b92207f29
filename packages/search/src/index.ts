export {
  AGGREGATION_DEPTH,
  type Aggregation,
  type AggregationResult,
  type AggregationResults,
  type Aggregations,
  BUCKETS_MAX,
  type Bucket,
  type CompositeKey,
  type CompositeSource,
  DISTINCT_MAX,
  type Interval,
} from './aggregation.ts'
export { AskedDocument } from './asked-document.ts'
export { type Condition, compileFilter, matches } from './compile-filter.ts'
export { type Filter, isScalar, keysOf, type Scalar, textOf } from './filter.ts'
export type { IndexOptions } from './index-store/open.ts'
export type { DocumentGroup, Grouping, Log } from './log.ts'
export { isIndexUrl, openSearchIndex } from './open-search-index.ts'
export type { SelectDocuments } from './postgres/copy.ts'
export { ensurePartitions, openLog, searchMigrations } from './postgres/open-log.ts'
export { type MadeWords, WordMaker } from './postgres/word-maker.ts'
export {
  type Analysis,
  type AnalysisQuery,
  type AppendedDocument,
  type PlacedDocument,
  type Rejection,
  type Retained,
  type Search,
  SearchError,
  type SearchQuery,
  type SortBy,
  type StreamDocument,
  type StreamSummary,
  UNREACHABLE,
} from './search.ts'
export type { SearchIndex, ShardBudget } from './search-index.ts'
export { wordsIn, wordsOf } from './words.ts'
