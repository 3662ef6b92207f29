import type { Filter } from './filter.ts'

/** A document of a stream. `id` is a UUIDv7; appending an id again changes nothing. */
export interface StreamDocument {
  stream: string
  id: string
  document: Record<string, unknown>
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

/** Documents in append-only streams, found by filter in the order they were appended. Driver by URL. */
export interface Search extends AsyncDisposable {
  readonly driver: string
  /** Appends; resolves when a search that starts now finds them (or will within the store's refresh interval). */
  append(documents: readonly StreamDocument[]): Promise<void>
  find(stream: string, query: SearchQuery): Promise<Record<string, unknown>[]>
  deleteStream(stream: string): Promise<void>
  /** Writes and deletes a probe document (specification "Readiness": events row). */
  probe(signal: AbortSignal): Promise<void>
}
