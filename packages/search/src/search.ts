import { StoreError } from '@platform/kernel'
import type { AggregationResults, Aggregations } from './aggregation.ts'
import type { Filter } from './filter.ts'

/** A document of a stream. `id` is a UUIDv7; appending an id again changes nothing. */
export interface StreamDocument {
  stream: string
  id: string
  document: Record<string, unknown>
  /** Its JSON, where that is known: it need not be written once more. */
  text?: string | undefined
}

/** A document that is there already, where the log copies from (`openLog`). */
export interface CopiedDocument {
  stream: string
  id: string
  document?: undefined
}

/** One that is sent, or one that is there already. */
export type AppendedDocument = StreamDocument | CopiedDocument

/** A document with its sequence: its position in the one order of the log. */
export interface PlacedDocument extends StreamDocument {
  sequence: number
}

export interface SearchQuery {
  filter?: Filter
  sort: 'asc' | 'desc'
  limit: number
  /** Skips `page * limit` documents. */
  page?: number
  /** Only documents before or after this one in the stream's own order. */
  beforeId?: string
  afterId?: string
}

/**
 * Orders documents by a value first: numbers by size, before texts (by code points); `desc` turns both round.
 * Documents without the value come last. What is equal, or isn't sorted at all, comes newest first.
 */
export interface SortBy {
  /** `createdAt`, `type`, `size` or a path of `source`. */
  path: string
  order: 'asc' | 'desc'
}

/** A question for documents and numbers. */
export interface AnalysisQuery {
  filter: Filter
  aggregations: Aggregations
  /** How many documents are returned; `offset + limit` is at most 10,000. */
  limit: number
  offset: number
  sort: readonly SortBy[]
  /** Counts all documents that fulfil the filter. */
  countAll: boolean
}

export interface Analysis {
  documents: Record<string, unknown>[]
  aggregations: AggregationResults
  /** Missing unless `countAll`. */
  total?: number
}

/** A document the store will never take, and why. */
export interface Rejection {
  id: string
  stream: string
  reason: string
}

/** Documents in append-only streams, found by filter in the order of the log. Driver by URL. */
export interface Search {
  readonly driver: string
  /**
   * The newest or oldest documents of a stream. Rejects with SearchError, `unavailable` when the store doesn't respond
   * in time.
   */
  find(stream: string, query: SearchQuery): Promise<Record<string, unknown>[]>
  /** Documents and numbers of one stream, or of all (`undefined`). At most 5 s. */
  analyse(stream: string | undefined, query: AnalysisQuery): Promise<Analysis>
  /** Writes and deletes a probe document, for the report of readiness. */
  probe(signal: AbortSignal): Promise<void>
}

/** How much is in a stream. */
export interface StreamSummary {
  stream: string
  documents: number
  /** The time of the newest document, by its id where it has none of its own; undefined for an empty stream. */
  newestAt: Date | undefined
}

/** What retention does to streams; each call takes at most `limit` documents and returns how many it took. */
export interface Retained {
  /** Streams in the order of their names, after `after`. */
  streams(after: string | undefined, limit: number): Promise<StreamSummary[]>
  /** Deletes documents with ids (UUIDv7) older than `before`. */
  deleteBefore(stream: string, before: Date, limit: number): Promise<number>
  /**
   * Removes `payload.payload` and `payload.output` of `runtime.automations.executed` older than `before`, of all
   * streams; the rest stays.
   */
  stripExecuted(before: Date, limit: number): Promise<number>
  deleteStream(stream: string): Promise<void>
}

/** What every search driver throws. */
export class SearchError extends StoreError {
  override readonly name = 'SearchError'
}

/**
 * `code` of an error after which the store as a whole can't be reached; any other may be about the one question that
 * was asked.
 */
export const UNREACHABLE = 'UNREACHABLE'
