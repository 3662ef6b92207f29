import { eventStream } from '@platform/contracts'
import type { SearchIndex } from '@platform/search'
import type { DeletionStore } from './deletion-store.ts'
import { workspaceOf } from './stored-streams.ts'

/**
 * On OpenSearch the events of a deleted workspace leave the index at once (specification "Limits"); the log keeps
 * them.
 */
export const losesAtOnce = (index: SearchIndex | undefined): index is SearchIndex =>
  index?.driver === 'opensearch'

/** Tells which of the streams of the log an index does not hold, because their workspaces are deleted. */
export const withheldFrom =
  (index: SearchIndex, { scheduledAmong }: Pick<DeletionStore, 'scheduledAmong'>) =>
  async (streams: readonly string[]): Promise<ReadonlySet<string>> => {
    if (!losesAtOnce(index)) return new Set()
    const deleted = await scheduledAmong(streams.flatMap((stream) => workspaceOf(stream) ?? []))
    return new Set([...deleted].map(eventStream))
  }
