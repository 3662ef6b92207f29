import type { Job } from '@platform/service'
import type { RunStore } from './run-store.ts'

interface Deps {
  readonly runs: Pick<RunStore, 'queueDue'>
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
}

const LOOK_MS = 250
const BATCH = 500

/** Queues runs whose time has come. Any instance does it for all. */
export const queueDueRuns = ({ runs, wakeWorkers }: Deps): Job => ({
  name: 'queue-due-runs',
  everyMs: LOOK_MS,
  async run(signal) {
    let queued = BATCH
    while (queued === BATCH && !signal.aborted) {
      queued = await runs.queueDue(BATCH)
      if (queued > 0) wakeWorkers()
    }
  },
})
