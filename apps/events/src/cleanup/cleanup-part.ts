import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Log, SearchIndex } from '@platform/search'
import { onOneInstance, type Part } from '@platform/service'
import { BRIEF_TYPES } from '../event-log/append-to-log.ts'
import { usageStore } from '../usage/usage-store.ts'
import { cleanStreams } from './clean-streams.ts'
import { cleanExecutions, cleanIndices } from './cleanup-operations.ts'
import { cleanupStore } from './cleanup-store.ts'
import { onWorkspacesDeleted } from './deleted-workspaces.ts'
import { deletionStore } from './deletion-store.ts'
import type { RetentionSettings } from './retention.ts'
import type { Schedules } from './schedule.ts'
import { deletionOfEvents, rollOver, scheduledCleanup } from './scheduled-cleanup.ts'
import type { StoredStreams } from './stored-streams.ts'
import { stripExecutions } from './strip-executions.ts'

interface Needs {
  database: Database
  outbox: Outbox
  audit: Audit
  eventLog: Log
  index: SearchIndex | undefined
  /** Has the part of the index that holds a stream built again from the log. */
  rebuildStream: (stream: string) => Promise<void>
  retention: RetentionSettings
  schedules: Schedules
  clock: Clock
}

/** Deletes what is past its retention, so that the stores do not grow for ever. */
export function cleanupPart(needs: Needs): Part {
  const { database, outbox, audit, eventLog, index, rebuildStream, retention, schedules, clock } = needs
  const store = cleanupStore({ database, outbox, audit })
  const usage = usageStore(database, outbox)
  const streams: StoredStreams = {
    log: eventLog,
    index,
    deletions: deletionStore({ database, audit }),
    settings: retention,
    clock,
    rebuildStream,
    forgetUsage: (workspaceId) => usage.forgetWorkspace(workspaceId),
  }
  const indices = cleanStreams(streams)
  const executions = stripExecutions(streams)
  return {
    routes: [
      cleanIndices({ cleanup: indices, store, clock }),
      cleanExecutions({ cleanup: executions, store, clock }),
    ],
    jobs: [
      scheduledCleanup(indices, { store, clock }, schedules.indices),
      scheduledCleanup(executions, { store, clock }, schedules.executions),
      deletionOfEvents(streams, store),
      ...(index === undefined ? [] : [rollOver(index)]),
    ],
    subscriptions: [onOneInstance('cleanup', onWorkspacesDeleted(streams), { briefTypes: BRIEF_TYPES })],
  }
}
