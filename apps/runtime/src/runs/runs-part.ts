import { randomUUID } from 'node:crypto'
import type { Audit } from '@platform/audit'
import { type Database, HolderWatch } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Permissions } from '@platform/permissions'
import { type Job, joinParts, type Part } from '@platform/service'
import type { Engine } from '../automations/engine.ts'
import type { Elsewhere } from '../automations/model.ts'
import type { RuntimeConfig } from '../config.ts'
import { upsertPatches } from '../contexts/context-store.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { ReadParts } from '../inspection/read-run.ts'
import type { RefusedAutomations } from '../processes/refused-automations.ts'
import { queueDueRuns, type WakeDue } from './due-runs.ts'
import { callsElsewhere } from './elsewhere.ts'
import { findElsewhere } from './find-elsewhere.ts'
import { journalStore } from './journal-store.ts'
import { keepPartitions } from './keep-partitions.ts'
import { lookingPart } from './looking-part.ts'
import { type EndWaits, onEvents } from './on-events.ts'
import { partitionStore } from './partition-store.ts'
import { type Containment, containedQueue, leaveWhenIdle, nameOf } from './quarantine.ts'
import { type LeasedRun, type WaitWriter, WOKEN_RUNS } from './run.ts'
import { runActionsPart } from './run-actions-part.ts'
import { CANCELLED_RUNS, runChangeStore } from './run-change-store.ts'
import { runDetails } from './run-details.ts'
import { runDurably } from './run-durably.ts'
import type { EffectWriters } from './run-effect-store.ts'
import { type RunNow, runNow } from './run-now.ts'
import { type RunRecordStore, runRecordStore } from './run-record-store.ts'
import { runSlots } from './run-slots.ts'
import { groupCommits, runStore } from './run-store.ts'
import { slotStore } from './slot-store.ts'
import { suspectStore } from './suspect-store.ts'
import { workOnRun } from './work-on-run.ts'
import { heartbeatMsOf, WorkQueue } from './work-queue.ts'

/** Runs that a request waits for, and the queue of those that events trigger. */
export interface Runs {
  readonly runNow: RunNow
  readonly outcomes: Pick<RunRecordStore, 'findOutcome'>
  readonly elsewhere: Elsewhere
  /** The work of this instance on queued runs. */
  readonly workers: Pick<WorkQueue, 'wake' | 'holdBack'>
  readonly part: Part
  /** What a process does that does only what was set aside. */
  readonly aside: readonly Job[]
}

/** What is known elsewhere of runs that wait for events or a time. */
export interface RunWaiting {
  readonly writer: WaitWriter
  readonly endWaits: EndWaits
  /** The waits of a run were committed. */
  readonly lookBack: (runId: string) => void
  /** An event came for these runs, of which some may be at work here. */
  readonly hear: (runIds: readonly string[]) => void
  readonly wakeDue: WakeDue
}

interface RunsParts {
  readonly database: Database
  /** What it takes to do runs again without effects. */
  readonly reading: ReadParts
  readonly audit: Audit
  readonly permissions: Permissions
  readonly refused: Pick<RefusedAutomations, 'require'>
  readonly engine: Engine
  readonly definitions: Definitions
  /** Stores the schedules of these workspaces as they are saved by now. */
  readonly syncSchedules: (workspaceIds: readonly string[]) => Promise<void>
  readonly waits: RunWaiting
  readonly writeEvents: EffectWriters['events']
  readonly clock: Clock
  readonly log: Logger
  readonly config: Pick<RuntimeConfig, 'runs' | 'times' | 'events'>
  /** In a process that may die: what it says and hears, and what it does not execute. */
  readonly containment: Containment | undefined
}

export function runsPart({
  database,
  audit,
  permissions,
  refused,
  engine,
  reading,
  definitions,
  syncSchedules,
  waits,
  writeEvents,
  clock,
  log,
  config,
  containment,
}: RunsParts): Runs {
  const runs = runStore(database, { patches: upsertPatches, events: writeEvents }, waits.writer)
  const settings = { ...config.runs, details: runDetails(config.runs.details) }
  const records = runRecordStore(database)
  const changes = runChangeStore(database)
  const journals = journalStore(database)
  const commits = groupCommits(runs)
  const holders = new HolderWatch(database, () => runs.listHolders(), heartbeatMsOf(config.runs.leaseSeconds))
  const wakeWorkers = () => queue.wake()
  const slots = runSlots({ slots: slotStore(database), wakeWorkers, log })
  const suspects = suspectStore(database)
  const worker = workerNames(database, containment)
  const queue: WorkQueue = new WorkQueue({
    ...containedQueue(containment, { runs, suspects, concurrency: config.runs.concurrency }),
    work: workOnRun({
      engine,
      definitions,
      commits,
      slots,
      journals,
      changes,
      onWaits: waits.lookBack,
      suspects: containment?.suspects(suspects),
      ...settings,
      limits: config.events,
      log,
    }),
    worker,
    lookForHolders: () => holders.look(),
    listen: (onCancelled, onWoken) => listenForRuns(database, waits, onCancelled, onWoken),
    leaseSeconds: config.runs.leaseSeconds,
    log,
  })
  const now = { ...settings, engine, commits, times: config.times, now: () => clock.now().getTime() }
  const hold = (leased: LeasedRun) => queue.hold(leased)
  const durable = { ...now, runs, hold, onWaits: waits.lookBack, wakeWorkers, worker, log }
  const looking = lookingPart({ ...reading, ...config, records, journals, definitions, clock, log })
  const common = { database, audit, permissions, definitions, reading, clock, wakeWorkers }
  const actions = runActionsPart({ ...common, records, journals })
  const partitions = { runs: partitionStore(database), journal: partitionStore(database, 'journal') }
  const find = findElsewhere({ definitions, permissions, refused })
  containment?.settle({ suspects, commits, changes, definitions, limits: config.events, wakeWorkers, log })
  return {
    runNow: runNow(now, (order) => runDurably(durable, order)),
    outcomes: records,
    elsewhere: callsElsewhere({
      find,
      commits,
      outcomes: records,
      changes,
      workNow: (id) => queue.workNow(id),
    }),
    workers: queue,
    aside: [...queue.jobs, leaveWhenIdle(queue)],
    part: joinParts(looking, {
      routes: [...actions.routes],
      subscriptions: [onEvents({ definitions, runs, endWaits: waits.endWaits, wakeWorkers, syncSchedules })],
      jobs: [
        keepPartitions({ partitions, clock, retentionDays: config.runs.retentionDays }),
        queueDueRuns({ runs, wakeWorkers, wakeDue: waits.wakeDue, wakeForWoken: queue.wakeForWoken }),
        ...actions.jobs,
        slots.job,
        ...queue.jobs,
      ],
    }),
  }
}

/** News of runs, wherever they are: the one that is to end, and those that may go on. */
async function listenForRuns(
  database: Database,
  { hear }: RunWaiting,
  onCancelled: (id: string) => void,
  onWoken: () => void,
): Promise<AsyncDisposable> {
  const listeners = new AsyncDisposableStack()
  listeners.use(await database.listen(CANCELLED_RUNS, onCancelled))
  const onNotice = (payload: string) => {
    hear(payload.split(','))
    onWoken()
  }
  listeners.use(await database.listen(WOKEN_RUNS, onNotice, onWoken))
  return listeners
}

/** Under which name this process claims runs, which those who look for the claims of dead ones know it by. */
function workerNames(database: Database, containment: Containment | undefined): () => string {
  const presence = database.presence()
  const withoutPresence = randomUUID()
  return () => nameOf(containment, presence.id()?.toString() ?? withoutPresence)
}
