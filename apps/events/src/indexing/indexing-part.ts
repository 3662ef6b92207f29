import { countDeadLetters, storeDeadLetter } from '@platform/broker'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Check } from '@platform/readiness'
import type { Log, Search, SearchIndex } from '@platform/search'
import { onOneInstance, type Part } from '@platform/service'
import { scheduledAmong } from '../cleanup/deletion-store.ts'
import { withheldFrom } from '../cleanup/stored-streams.ts'
import type { BuildDeps } from './build-index.ts'
import { FreshStreams } from './fresh-streams.ts'
import { IndexCounts } from './index-counts.ts'
import { INDEX_GROUP, indexEvents } from './index-events.ts'
import { exposeIndex } from './index-metrics.ts'
import { indexRoutes, operationsOf, operationsWithoutIndex } from './index-operations.ts'
import { indexStatus } from './index-status.ts'
import { indexStore } from './index-store.ts'
import { IndexTrust } from './index-trust.ts'
import { keepIndex } from './keep-index.ts'
import { LostStreams } from './lost-streams.ts'
import { searchOf } from './search-of.ts'
import { shardWarnings, watchShards } from './watch-shards.ts'

/** The index beside the log, where one is configured. */
export interface Indexing {
  part: Part
  /** Answers feed, search and usage: the index while it is well and complete, else the log. */
  search: Search
  /** The row `search` of the readiness report. */
  check: Check
  /** Has the part of the index that holds a stream built again from the log. */
  rebuildStream: (stream: string) => Promise<void>
}

interface Needs {
  database: Database
  eventLog: Log
  index: SearchIndex | undefined
  clock: Clock
  log: Logger
}

/** Keeps the index beside the log, where there is one. */
export function openIndexing({ index, ...needs }: Needs): Indexing {
  const store = indexStore(needs.database)
  const rebuildStream = async (stream: string) => {
    await store.requestStreams([stream])
    store.wakeLeader()
  }
  if (index !== undefined) return { ...withIndex({ ...needs, index }), rebuildStream }
  const { eventLog } = needs
  return {
    rebuildStream,
    part: { routes: indexRoutes(operationsWithoutIndex(eventLog.driver)) },
    search: eventLog,
    check: checkOf(eventLog),
  }
}

function withIndex(needs: Needs & { index: SearchIndex }): Omit<Indexing, 'rebuildStream'> {
  const { database, eventLog, index, clock, log: logger } = needs
  const store = indexStore(database)
  const counts = new IndexCounts()
  const trust = new IndexTrust({ log: eventLog, index, store })
  const build: BuildDeps = {
    log: eventLog,
    index,
    store,
    storeLetter: (letter) => storeDeadLetter(database, letter),
    withheld: withheldFrom(index, { scheduledAmong: (ids) => scheduledAmong(database, ids) }),
    counts,
    clock,
    logger,
  }
  const deadLetters = async () => lettersOf(await countDeadLetters(database))
  const status = () => indexStatus({ log: eventLog, index, store, trust, deadLetters })
  const metrics = exposeIndex({ log: eventLog, index, store, counts })
  return {
    part: {
      routes: indexRoutes(operationsOf({ log: eventLog, store, status })),
      subscriptions: [onOneInstance(INDEX_GROUP, indexEvents(build))],
      jobs: [keepIndex({ ...build, database }), watchShards({ index, logger })],
      leaving: () => metrics[Symbol.dispose](),
    },
    search: searchOf({
      log: eventLog,
      index,
      trust,
      fresh: new FreshStreams({ log: eventLog, index }),
      lost: new LostStreams({ log: eventLog, index, store }),
      counts,
    }),
    check: { ...checkOf(index), warnings: () => warningsOf(index) },
  }
}

const checkOf = (search: Search): Check => ({
  module: 'search',
  driver: search.driver,
  probe: (signal) => search.probe(signal),
})

const warningsOf = async (index: SearchIndex): Promise<string[]> => [
  ...shardWarnings(await index.shardBudget()),
  ...(await index.warnings()),
]

const lettersOf = (counts: readonly { group: string; letters: number }[]): number =>
  counts.find(({ group }) => group === INDEX_GROUP)?.letters ?? 0
