import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Part } from '@platform/service'
import { whenMigrated } from '../definitions/definition-store.ts'
import { insertQueued } from '../runs/run-store.ts'
import { listSchedules } from './list-schedules.ts'
import { ScheduleTimes } from './next-time.ts'
import { runScheduleNow } from './run-schedule-now.ts'
import { scheduleStore } from './schedule-store.ts'
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
  wakeWorkers,
}: {
  database: Database
  clock: Clock
  /** Makes the workers of this instance look for queued runs. */
  wakeWorkers: () => void
}): Schedules {
  const schedules = scheduleStore(database, { queueRuns: insertQueued, whenMigrated })
  const times = new ScheduleTimes()
  const sync = syncSchedules({ schedules, times })
  return {
    sync,
    part: {
      routes: [listSchedules({ schedules, times, clock }), runScheduleNow({ schedules, wakeWorkers, clock })],
      jobs: [tickSchedules({ schedules, times, sync, wakeWorkers }), compareSchedules({ schedules, times })],
    },
  }
}
