import type { EventIndex } from '@platform/contracts'
import type { Log, SearchIndex } from '@platform/search'
import { inTime } from './in-time.ts'
import type { IndexRecord, IndexStore } from './index-store.ts'
import { ageOfNext, type IndexTrust } from './index-trust.ts'

const SHARDS_MS = 1000
const REBUILDS_SHOWN = 100

export interface StatusDeps {
  log: Log
  index: SearchIndex
  store: Pick<IndexStore, 'find' | 'rebuilds'>
  trust: Pick<IndexTrust, 'reasonAgainst'>
  /** Events that the group of the index gave up. */
  deadLetters: () => Promise<number>
}

/** How the index stands to the log; what only an index knows that is away is null. */
export async function indexStatus({
  log,
  index,
  store,
  trust,
  deadLetters,
}: StatusDeps): Promise<EventIndex> {
  const [record, rebuilds, reason, letters, shards] = await Promise.all([
    store.find(),
    store.rebuilds(REBUILDS_SHOWN),
    trust.reasonAgainst(undefined),
    deadLetters(),
    inTime(SHARDS_MS, index.shardBudget()).catch(() => null),
  ])
  return {
    driver: index.driver,
    stage: record?.stage ?? 'waiting',
    answeredBy: reason === undefined || reason === 'rebuilding' ? 'index' : 'log',
    progress: record === undefined ? null : { copied: record.copied, total: record.total },
    startedAt: record?.startedAt.toISOString() ?? null,
    finishedAt: record?.finishedAt?.toISOString() ?? null,
    behind: record === undefined ? null : await behind(log, record),
    rebuilding: rebuilds.map(({ stream, copied }) => ({ stream, copied })),
    shards: shards && { used: shards.shards, max: shards.max },
    deadLetters: letters,
  }
}

/** Where there is nothing but the log. */
export const noIndex = (driver: string): EventIndex => ({
  driver,
  stage: 'none',
  answeredBy: 'log',
  progress: null,
  startedAt: null,
  finishedAt: null,
  behind: null,
  rebuilding: [],
  shards: null,
  deadLetters: 0,
})

/** What the index has yet to take: nearly all of it, for a stream may be behind another one. */
export async function behind(
  log: Pick<Log, 'lastSequence' | 'readAfter'>,
  { reached }: Pick<IndexRecord, 'reached'>,
): Promise<{ events: number; seconds: number }> {
  const events = Math.max(0, (await log.lastSequence()) - reached)
  return { events, seconds: events === 0 ? 0 : (await ageOfNext(log, reached)) / 1000 }
}
