import type { PlacedDocument, Rejection, Retained, Search } from './search.ts'

/** How many shards the store has, and how many it takes. */
export interface ShardBudget {
  shards: number
  max: number
}

/**
 * The log made findable in OpenSearch or Elasticsearch: a copy that may be wiped at any moment and is built again
 * from the log. One data stream per stream, its template installed and verified before the first write.
 */
export interface SearchIndex extends Search, Retained, AsyncDisposable {
  readonly driver: 'opensearch' | 'elasticsearch'
  /** Names this very index: another one after the store was wiped, or undefined while nothing was written to it. */
  identity(): Promise<string | undefined>
  /** Marks an empty store as this index; called before a rebuild. Returns its identity. */
  initialize(): Promise<string>
  /**
   * Adds documents; one that is there already is left as it is. Resolves when the store has taken all that it will
   * ever take, with those it refused for what they are. Rejects with SearchError `unavailable` when the store is
   * away, full, read-only or too busy: then all are to be sent again.
   */
  add(documents: readonly PlacedDocument[]): Promise<Rejection[]>
  /** Documents of each stream that can be found. */
  counts(after: string | undefined, limit: number): Promise<{ stream: string; documents: number }[]>
  /** What was added before is found by searches that begin now. */
  refresh(stream: string): Promise<void>
  /**
   * Starts a new backing index for each stream whose primary shard reaches the size. Returns those streams.
   */
  rollOver(maxPrimaryShardBytes: number): Promise<string[]>
  /** How many shards the store has and may have; `max` is 0 where it counts none. */
  shardBudget(): Promise<ShardBudget>
  /** What an operator must change in the store, one sentence each; empty while all is well. */
  warnings(): Promise<string[]>
}
