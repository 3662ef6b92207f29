import { MINUTE_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { SearchIndex } from '@platform/search'
import type { Job } from '@platform/service'

/** Shards in use of those a store may have, from which on it warns. */
const WARNING_SHARE = 0.8

/** True when the store is so full of shards that an operator must look. */
const isShardBudgetLow = ({ shards, max }: { shards: number; max: number }): boolean =>
  max > 0 && shards >= WARNING_SHARE * max

/** What the readiness report says of it. */
export const shardWarnings = ({ shards, max }: { shards: number; max: number }): string[] =>
  isShardBudgetLow({ shards, max })
    ? [`${shards} of ${max} shards are in use: add a node or delete old streams before they run out.`]
    : []

/**
 * Warns while the shards of the store run out: one more stream than it takes and events of new workspaces are not
 * indexed.
 */
export const watchShards = (deps: {
  index: Pick<SearchIndex, 'shardBudget'>
  logger: Pick<Logger, 'warn'>
}): Job => ({
  name: 'watch-search-shards',
  everyMs: 10 * MINUTE_MS,
  async run() {
    const budget = await deps.index.shardBudget()
    if (isShardBudgetLow(budget))
      deps.logger.warn(budget, 'the shards of the search store run out: add a node or delete old streams')
  },
})
