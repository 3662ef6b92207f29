import type { Database } from '@platform/database'
import type { Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import type { Log, Search } from '@platform/search'
import { type Job, onOneInstance, type Subscription } from '@platform/service'
import { appendToLog } from './append-to-log.ts'
import { emitEvents } from './emit-events.ts'
import { keepPartitions } from './keep-partitions.ts'
import { listEvents } from './list-events.ts'
import type { LogPace } from './log-backpressure.ts'
import { LOG_GROUP } from './log-lag-store.ts'

/** The log has one writer: commits in larger batches keep up with what many accept. */
const LOG_BATCH = 512

/** Accepting, keeping and listing events, for the composition root. */
export const wireEventLog = (deps: {
  database: Database
  outbox: Outbox
  eventLog: Log
  search: Search
  permissions: Permissions
  clock: Clock
  outboxRetentionHours: number
  pace: LogPace
}): { routes: Route[]; subscriptions: Subscription[]; jobs: Job[] } => ({
  routes: [emitEvents(deps), listEvents(deps)],
  subscriptions: [onOneInstance(LOG_GROUP, appendToLog({ log: deps.eventLog }), { maxBatch: LOG_BATCH })],
  jobs: [keepPartitions(deps), ...deps.pace.jobs],
})
