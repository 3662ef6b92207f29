import { randomUUID } from 'node:crypto'
import type { Audit } from '@platform/audit'
import { type Database, HolderWatch } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Permissions } from '@platform/permissions'
import { joinParts, type Part } from '@platform/service'
import type { Engine } from '../automations/engine.ts'
import type { RuntimeConfig } from '../config.ts'
import { upsertPatches } from '../contexts/context-store.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { ReadParts } from '../inspection/read-run.ts'
import { queueDueRuns } from './due-runs.ts'
import { journalStore } from './journal-store.ts'
import { keepPartitions } from './keep-partitions.ts'
import { lookingPart } from './looking-part.ts'
import { onEvents } from './on-events.ts'
import { partitionStore } from './partition-store.ts'
import type { LeasedRun } from './run.ts'
import { runActionsPart } from './run-actions-part.ts'
import { CANCELLED_RUNS } from './run-change-store.ts'
import { runDurably } from './run-durably.ts'
import { type RunNow, runNow } from './run-now.ts'
import { type RunRecordStore, runRecordStore } from './run-record-store.ts'
import { runSlots } from './run-slots.ts'
import { groupCommits, runStore } from './run-store.ts'
import { slotStore } from './slot-store.ts'
import { workOnRun } from './work-on-run.ts'
import { WorkQueue } from './work-queue.ts'

/** Runs that a request waits for, and the queue of those that events trigger. */
export interface Runs {
  readonly runNow: RunNow
  readonly outcomes: Pick<RunRecordStore, 'findOutcome'>
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
  readonly part: Part
}

export function runsPart({
  database,
  audit,
  permissions,
  engine,
  reading,
  definitions,
  syncSchedules,
  clock,
  log,
  config,
}: {
  database: Database
  /** What it takes to do runs again without effects. */
  reading: ReadParts
  audit: Audit
  permissions: Permissions
  engine: Engine
  definitions: Definitions
  /** Stores the schedules of these workspaces as they are saved by now. */
  syncSchedules: (workspaceIds: readonly string[]) => Promise<void>
  clock: Clock
  log: Logger
  config: Pick<RuntimeConfig, 'runs' | 'times' | 'events'>
}): Runs {
  const runs = runStore(database, upsertPatches)
  const records = runRecordStore(database)
  const journals = journalStore(database)
  const commits = groupCommits(runs)
  const presence = database.presence()
  const withoutPresence = randomUUID()
  const holders = new HolderWatch(database, () => runs.listHolders())
  const wakeWorkers = () => queue.wake()
  const slots = runSlots({ slots: slotStore(database), wakeWorkers, log })
  const worker = () => presence.id()?.toString() ?? withoutPresence
  const queue: WorkQueue = new WorkQueue({
    runs,
    work: workOnRun({
      engine,
      definitions,
      commits,
      slots,
      journals,
      ...config.runs,
      limits: config.events,
      log,
    }),
    worker,
    lookForHolders: () => holders.look(),
    listen: (onCancelled) => database.listen(CANCELLED_RUNS, onCancelled),
    concurrency: config.runs.concurrency,
    leaseSeconds: config.runs.leaseSeconds,
    log,
  })
  const { times } = config
  const now = { ...config.runs, engine, commits, times, now: () => clock.now().getTime() }
  const durable = {
    ...now,
    runs,
    hold: (leased: LeasedRun) => queue.hold(leased),
    wakeWorkers,
    worker,
    log,
  }
  const looking = lookingPart({ ...reading, ...config, records, journals, definitions, clock, log })
  const common = { database, audit, permissions, definitions, reading, clock, wakeWorkers }
  const actions = runActionsPart({ ...common, records, journals })
  const partitions = { runs: partitionStore(database), journal: partitionStore(database, 'journal') }
  return {
    runNow: runNow(now, (order) => runDurably(durable, order)),
    outcomes: records,
    wakeWorkers,
    part: joinParts(looking, {
      routes: [...actions.routes],
      subscriptions: [onEvents({ definitions, runs, wakeWorkers, syncSchedules })],
      jobs: [
        keepPartitions({ partitions, clock, retentionDays: config.runs.retentionDays }),
        queueDueRuns({ runs, wakeWorkers }),
        ...actions.jobs,
        slots.job,
        ...queue.jobs,
      ],
    }),
  }
}
