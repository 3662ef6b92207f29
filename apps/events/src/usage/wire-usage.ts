import type { Database } from '@platform/database'
import type { Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Log } from '@platform/search'
import type { Job } from '@platform/service'
import { usageCounter } from './count-usage.ts'
import { usageStore } from './usage-store.ts'
import { workspaceUsage } from './workspace-usage.ts'

/** Counting and answering of usage. */
export function wireUsage(deps: { database: Database; outbox: Outbox; eventLog: Log; clock: Clock }): {
  routes: Route[]
  jobs: Job[]
} {
  const usage = usageStore(deps.database, deps.outbox)
  const counter = usageCounter({ usage, eventLog: deps.eventLog, clock: deps.clock })
  return { routes: [workspaceUsage({ usage, counter })], jobs: counter.jobs }
}
