import type { Database } from '@platform/database'
import { derivedUuidv7, Failure, HOUR_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import pLimit from 'p-limit'
import { type BulkJob, type BulkStore, noteBulkRun } from './bulk-store.ts'
import type { RunChange, RunChangeStore } from './run-change-store.ts'
import type { RunRecord } from './run-record.ts'
import type { RunsAgain } from './runs-again.ts'

interface Deps {
  readonly database: Database
  readonly jobs: BulkStore
  readonly changes: Pick<RunChangeStore, 'cancel'>
  readonly again: Pick<RunsAgain, 'replay' | 'retry'>
  readonly wakeWorkers: () => void
}

const LOOK_MS = 250
/** Longer than a batch takes: of a process that died the next one takes it over. */
const LEASE_SECONDS = 30
/** Runs of a job that are changed before the next job has its turn. */
const BATCH = 50
/** Batches of one look: others need the database as well. */
const BATCHES = 8
const AT_ONCE = 4
/** Where so many runs of a workspace are queued, no more are added to them. */
const MOST_QUEUED = 200
const OLD_BATCH = 100

/** Does what was asked for many runs; any instance does it for all, each job in turn. */
export const workOnBulk = (deps: Deps): Job[] => [
  {
    name: 'change-many-runs',
    everyMs: LOOK_MS,
    async run(signal) {
      for (let batch = 0; batch < BATCHES && !signal.aborted; batch += 1) {
        const job = await deps.jobs.lease(LEASE_SECONDS, MOST_QUEUED)
        if (job === undefined) return
        await workOnBatch(deps, job)
      }
    },
  },
  {
    name: 'forget-bulk-jobs',
    everyMs: HOUR_MS,
    run: (signal) => inBatches(OLD_BATCH, signal, (limit) => deps.jobs.deleteOld(limit)),
  },
]

async function workOnBatch(deps: Deps, job: BulkJob): Promise<void> {
  const turns = pLimit(AT_ONCE)
  try {
    const left = await deps.jobs.listLeft(job.id, BATCH)
    await Promise.all(left.map((runId) => turns(() => workOnOne(deps, job, runId))))
  } finally {
    await deps.jobs.giveBack(job.id)
  }
  if (job.action !== 'cancel') deps.wakeWorkers()
}

/** A run that is changed is noted in the same transaction: it is never changed twice. */
async function workOnOne(deps: Deps, job: BulkJob, runId: string): Promise<void> {
  const change: RunChange = {
    workspaceId: job.workspaceId,
    runId,
    note: (tx) => noteBulkRun(tx, job.id, runId, true),
  }
  const changed = await changeOne(deps, job, change).catch((error: unknown) => {
    // It can't be done to this run, and never will be.
    if (error instanceof Failure && error.status < 500) return undefined
    throw error
  })
  if (changed === undefined) await noteBulkRun(deps.database, job.id, runId, false)
}

function changeOne(
  { changes, again }: Deps,
  { id, action, definition, reason }: BulkJob,
  change: RunChange,
): Promise<RunRecord | undefined> {
  if (action === 'cancel') return changes.cancel(change, reason)
  const newId = derivedUuidv7(id, id, change.runId)
  return action === 'retry'
    ? again.retry(change, newId, { isFirst: true })
    : again.replay(change, newId, definition)
}
