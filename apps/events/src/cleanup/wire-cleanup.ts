import type { Audit } from '@platform/audit'
import { type Database, sql } from '@platform/database'
import type { Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Log, SearchIndex } from '@platform/search'
import { type Job, onOneInstance, type Subscription } from '@platform/service'
import { indexStore } from '../indexing/index-store.ts'
import { INDEX_CHANNEL } from '../indexing/keep-index.ts'
import { usageStore } from '../usage/usage-store.ts'
import { cleanExecutions } from './clean-executions.ts'
import { cleanIndices } from './clean-indices.ts'
import { cleanStreams } from './clean-streams.ts'
import { cleanupStore } from './cleanup-store.ts'
import { onWorkspacesDeleted } from './deleted-workspaces.ts'
import { deletionStore } from './deletion-store.ts'
import type { RetentionSettings } from './retention.ts'
import type { scheduleSettings } from './schedule.ts'
import { deletionOfEvents, rollOver, scheduledCleanup } from './scheduled-cleanup.ts'
import { stripExecutions } from './strip-executions.ts'

interface Needs {
  database: Database
  outbox: Outbox
  audit: Audit
  eventLog: Log
  index: SearchIndex | undefined
  clock: Clock
  retention: RetentionSettings
  schedules: ReturnType<typeof scheduleSettings>
}

/** What keeps the stores from growing for ever (decisions F7). */
export function wireCleanup(needs: Needs): { routes: Route[]; jobs: Job[]; subscriptions: Subscription[] } {
  const { database, outbox, audit, eventLog, index, clock, retention, schedules } = needs
  const store = cleanupStore({ database, outbox, audit })
  const deletions = deletionStore({ database, audit })
  const rebuildStream = async (stream: string) => {
    await indexStore(database).requestStreams([stream])
    await database.many(sql`select pg_notify(${INDEX_CHANNEL}, '')`)
  }
  const { forgetWorkspace: forgetUsage } = usageStore(database, outbox)
  const kept = { log: eventLog, index, deletions, rebuildStream, forgetUsage }
  const streams = { ...kept, settings: retention, clock }
  const [indices, executions] = [cleanStreams(streams), stripExecutions(streams)]
  const runs = { store, clock }
  return {
    routes: [cleanIndices({ ...runs, cleanup: indices }), cleanExecutions({ ...runs, cleanup: executions })],
    jobs: [
      scheduledCleanup(indices, runs, schedules.indices),
      scheduledCleanup(executions, runs, schedules.executions),
      deletionOfEvents(streams, store),
      ...(index === undefined ? [] : [rollOver(index)]),
    ],
    subscriptions: [onOneInstance('cleanup', onWorkspacesDeleted(streams))],
  }
}
