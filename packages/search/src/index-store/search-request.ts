import { SearchError } from '../search.ts'
import type { IndexedDocument } from './indexed-document.ts'
import { bodyOf, type IndexContext, SEARCH_MS } from './store.ts'
import { allDataStreams, dataStreamOf } from './stream-names.ts'

export interface Hit {
  _index: string
  _id: string
  _seq_no?: number
  _primary_term?: number
  _source: IndexedDocument
  sort?: unknown[]
}

export interface SearchResult {
  timed_out: boolean
  hits: { total?: { value: number }; hits: Hit[] }
  aggregations?: Record<string, unknown>
}

/** Offset and limit of one request together. */
export const WINDOW_MAX = 10_000

/**
 * Searches one stream, or all. A response that is late or incomplete is an error. Undefined when no stream can have
 * the name; a stream that isn't there is empty.
 */
export async function searchStream(
  context: IndexContext,
  stream: string | undefined,
  body: object,
): Promise<SearchResult | undefined> {
  const { store, template } = context
  const target =
    stream === undefined ? allDataStreams(template.prefix) : dataStreamOf(template.prefix, stream)
  if (target === undefined) return undefined
  const response = await store<SearchResult>({
    method: 'POST',
    path: `/${encodeURIComponent(target)}/_search`,
    query: { ignore_unavailable: true, allow_no_indices: true, allow_partial_search_results: false },
    body: { timeout: `${SEARCH_MS}ms`, track_total_hits: false, ...body },
    timeoutMs: SEARCH_MS,
  })
  const result = bodyOf(response)
  if (result.timed_out) {
    throw new SearchError('The search store did not finish in time.', { unavailable: true, code: 'TIMEOUT' })
  }
  return result
}
