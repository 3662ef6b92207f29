import type { IndexOptions } from './index-store/open.ts'
import type { SearchIndex } from './search-index.ts'

/** True for a URL that names a store of an index: `opensearch+http(s)://…` or `elasticsearch+http(s)://…`. */
export const isIndexUrl = (url: string): boolean => /^(opensearch|elasticsearch)\+https?:/.test(url)

/**
 * Opens the index in OpenSearch or Elasticsearch that a URL names:
 * `opensearch+https://user:password@host:9200,other:9200?namespace=name`. Connects at the first use, so it opens while
 * the store is down. Throws for any other URL.
 */
export async function openSearchIndex(url: string, options: IndexOptions = {}): Promise<SearchIndex> {
  // Its client is loaded only where it is used.
  const { openIndex } = await import('./index-store/open.ts')
  return openIndex(url, options)
}
