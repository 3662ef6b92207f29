import type { Database } from '@platform/database'
import { exposeReadings } from '@platform/http'
import { type Clock, SECOND_MS } from '@platform/kernel'
import type { Part } from '@platform/service'
import { whenMigrated } from '../definitions/definition-store.ts'
import { insertQueued } from '../runs/run-effect-store.ts'
import { runRecordStore } from '../runs/run-record-store.ts'
import type { WorkQueue } from '../runs/work-queue.ts'
import { listSchedules } from './list-schedules.ts'
import { ScheduleTimes } from './next-time.ts'
import { runScheduleNow } from './run-schedule-now.ts'
import { type ScheduleStore, scheduleStore } from './schedule-store.ts'
import { compareSchedules, type SyncSchedules, syncSchedules } from './sync-schedules.ts'
import { tickSchedules } from './tick-schedules.ts'

/** Automations that time starts. */
export interface Schedules {
  readonly sync: SyncSchedules
  readonly part: Part
}

export function schedulesPart({
  database,
  clock,
  workers,
}: {
  database: Database
  clock: Clock
  /** Those of this instance that work on queued runs. */
  workers: () => Pick<WorkQueue, 'wake' | 'holdBack'>
}): Schedules {
  const schedules = scheduleStore(database, { queueRuns: insertQueued, whenMigrated })
  const times = new ScheduleTimes()
  const sync = syncSchedules({ schedules, times })
  const lateness = exposeLateness(schedules)
  return {
    sync,
    part: {
      routes: [
        listSchedules({ schedules, times, clock }),
        runScheduleNow({
          ...{ schedules, records: runRecordStore(database), clock },
          wakeWorkers: () => workers().wake(),
        }),
      ],
      jobs: [
        tickSchedules({ schedules, times, sync, holdBackWorkers: () => workers().holdBack() }),
        compareSchedules({ schedules, times }),
      ],
      closing: async () => lateness[Symbol.dispose](),
    },
  }
}

/** Every process shows the same: it is the cluster's. */
const exposeLateness = (schedules: Pick<ScheduleStore, 'msToNext'>): Disposable =>
  exposeReadings(
    {
      name: 'platform_schedules_late_seconds',
      help: 'How long the schedule waits that is due for longest.',
      type: 'gauge',
    },
    async () => {
      const ms = (await schedules.msToNext()) ?? 0
      return [{ labels: {}, value: Math.max(0, -ms / SECOND_MS) }]
    },
  )
