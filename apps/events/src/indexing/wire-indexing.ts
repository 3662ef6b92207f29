import { countDeadLetters, storeDeadLetter } from '@platform/broker'
import { type Database, sql } from '@platform/database'
import type { Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Check } from '@platform/readiness'
import type { Log, Search, SearchIndex } from '@platform/search'
import { type Job, onOneInstance, type Subscription } from '@platform/service'
import { scheduledAmong } from '../cleanup/deletion-store.ts'
import { withheldFrom } from '../cleanup/stored-streams.ts'
import type { BuildDeps } from './build-index.ts'
import { FreshStreams } from './fresh-streams.ts'
import { getEventIndex } from './get-event-index.ts'
import { IndexCounts } from './index-counts.ts'
import { INDEX_GROUP, indexEvents } from './index-events.ts'
import { exposeIndex } from './index-metrics.ts'
import { type IndexOperations, requestsOf, requestsWithoutIndex } from './index-operations.ts'
import { indexStatus, noIndex } from './index-status.ts'
import { indexStore } from './index-store.ts'
import { IndexTrust } from './index-trust.ts'
import { INDEX_CHANNEL, keepIndex } from './keep-index.ts'
import { LostStreams } from './lost-streams.ts'
import { reindexEvents } from './reindex-events.ts'
import { requestReindex } from './request-reindex.ts'
import { searchOf } from './search-of.ts'
import { showIndexState } from './show-index-state.ts'
import { shardWarnings, watchShards } from './watch-shards.ts'

/** What the composition root takes of this folder. */
export interface Indexing {
  /** Answers feed, search and usage: the index while it is well and complete, else the log. */
  search: Search
  routes: Route[]
  subscriptions: Subscription[]
  jobs: Job[]
  /** The row `search` of the readiness report. */
  check: Check
  /** Called when the service begins to stop. */
  leaving: () => void
}

interface Deps {
  database: Database
  eventLog: Log
  index: SearchIndex | undefined
  clock: Clock
  log: Logger
}

/** Keeps the index beside the log, where there is one. */
export function wireIndexing({ index, ...deps }: Deps): Indexing {
  if (index !== undefined) return withIndex({ ...deps, index })
  return {
    search: deps.eventLog,
    routes: routesOf(requestsWithoutIndex(noIndex(deps.eventLog.driver))),
    subscriptions: [],
    jobs: [],
    check: checkOf(deps.eventLog),
    leaving: () => {},
  }
}

function withIndex({
  database,
  eventLog,
  index,
  clock,
  log: logger,
}: Deps & { index: SearchIndex }): Indexing {
  const store = indexStore(database)
  const counts = new IndexCounts()
  const trust = new IndexTrust({ log: eventLog, index, store })
  const keep: BuildDeps['keep'] = (letter) => storeDeadLetter(database, letter)
  const withheld = withheldFrom(index, { scheduledAmong: (ids) => scheduledAmong(database, ids) })
  const deps = { log: eventLog, index, store, counts, keep, withheld, clock, logger }
  const status = () =>
    indexStatus({ ...deps, trust, deadLetters: async () => lettersOf(await countDeadLetters(database)) })
  const ring = () => database.many(sql`select pg_notify(${INDEX_CHANNEL}, '')`)
  const lost = new LostStreams({ ...deps, ring })
  const metrics = exposeIndex(deps)
  return {
    search: searchOf({ ...deps, trust, fresh: new FreshStreams(deps), lost }),
    routes: routesOf(requestsOf({ ...deps, status, ring })),
    subscriptions: [onOneInstance(INDEX_GROUP, indexEvents(deps))],
    jobs: [keepIndex({ ...deps, database }), watchShards({ index, logger })],
    check: {
      ...checkOf(index),
      warnings: async () => [...shardWarnings(await index.shardBudget()), ...(await index.warnings())],
    },
    leaving: () => metrics[Symbol.dispose](),
  }
}

const checkOf = (search: Search): Check => ({
  module: 'search',
  driver: search.driver,
  probe: (signal) => search.probe(signal),
})

const routesOf = (operations: IndexOperations): Route[] => [
  getEventIndex({ operations }),
  reindexEvents({ operations }),
  showIndexState({ operations }),
  requestReindex({ operations }),
]

const lettersOf = (counts: readonly { group: string; letters: number }[]): number =>
  counts.find(({ group }) => group === INDEX_GROUP)?.letters ?? 0
