import type { Search, StreamSummary } from '@platform/search'
import { type Drop, dropOf, quietSince } from './retention.ts'
import type { StoredStreams } from './stored-streams.ts'

/**
 * What to drop of a stream of the log. The newest document of a summary is the one that was appended last; before a
 * stream is purged the log is asked whether really nothing in it is young, for example what came since the summary
 * was made.
 */
export async function decideDrop(
  { log, settings, clock }: Pick<StoredStreams, 'log' | 'settings' | 'clock'>,
  summary: StreamSummary,
  workspaceIsDeleted: boolean,
): Promise<Drop> {
  const now = clock.now()
  const drop = dropOf(summary, workspaceIsDeleted, settings, now)
  if (drop.reason === 'expired') return drop
  const since = { path: 'createdAt', atLeast: quietSince(settings, now).toISOString() }
  const isQuiet = (await countDocuments(log, since, summary.stream)) === 0
  return isQuiet ? drop : dropOf({ ...summary, newestAt: now }, workspaceIsDeleted, settings, now)
}

/** Documents of a stream, or of all, that fulfil a filter. */
export async function countDocuments(
  search: Pick<Search, 'analyse'>,
  filter: Parameters<Search['analyse']>[1]['filter'],
  stream?: string,
): Promise<number> {
  const question = { filter, aggregations: {}, limit: 0, offset: 0, sort: [], countAll: true }
  return (await search.analyse(stream, question)).total ?? 0
}
