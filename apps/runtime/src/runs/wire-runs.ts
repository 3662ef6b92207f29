import { randomUUID } from 'node:crypto'
import { type Database, HolderWatch } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Engine } from '../automations/engine.ts'
import type { RuntimeConfig } from '../config.ts'
import { upsertPatches } from '../contexts/context-store.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { commitStore } from './commit-store.ts'
import { keepPartitions } from './keep-partitions.ts'
import { onEvents } from './on-events.ts'
import { partitionStore } from './partition-store.ts'
import { runNow } from './run-now.ts'
import { runStore } from './run-store.ts'
import { workOnRun } from './work-on-run.ts'
import { WorkQueue } from './work-queue.ts'

/** Runs that somebody waits for, and the queue of those that events trigger. */
export function wireRuns(deps: {
  database: Database
  engine: Engine
  definitions: Definitions
  clock: Clock
  log: Logger
  config: Pick<RuntimeConfig, 'runs' | 'times'>
}) {
  const { database, engine, definitions, clock, log, config } = deps
  const runs = runStore(database, upsertPatches)
  const commits = commitStore(runs)
  const work = workOnRun({ engine, definitions, commits, timeLimitMs: config.runs.timeLimitMs, log })
  const presence = database.presence()
  const unseen = randomUUID()
  const holders = new HolderWatch(database, () => runs.listHolders())
  const queue = new WorkQueue({
    ...{ runs, work, log, ...config.runs },
    worker: () => presence.id()?.toString() ?? unseen,
    lookForHolders: () => holders.look(),
  })
  const partitions = partitionStore(database)
  return {
    runNow: runNow({ engine, commits, times: config.times, now: () => clock.now().getTime() }),
    subscriptions: [onEvents({ definitions, runs, kick: () => queue.wake() })],
    jobs: [keepPartitions({ partitions, clock, retentionDays: config.runs.retentionDays }), ...queue.jobs],
  }
}
