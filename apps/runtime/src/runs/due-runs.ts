import { inBatches, type Job } from '@platform/service'
import type { RunStore } from './run-store.ts'

interface Deps {
  readonly runs: Pick<RunStore, 'queueDue'>
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
  /** Lets so many runs go on at most whose wait is over; answers how many. */
  readonly wakeDue: (limit: number) => Promise<number>
  readonly wakeForWoken: () => void
}

const LOOK_MS = 250
const BATCH = 500

/** Queues runs whose time has come. Any instance does it for all. */
export const queueDueRuns = ({ runs, wakeWorkers, wakeDue, wakeForWoken }: Deps): Job => ({
  name: 'queue-due-runs',
  everyMs: LOOK_MS,
  async run(signal) {
    await inBatches(BATCH, signal, async (limit) => told(await runs.queueDue(limit), wakeWorkers))
    await inBatches(BATCH, signal, async (limit) => told(await wakeDue(limit), wakeForWoken))
  },
})

function told(count: number, wake: () => void): number {
  if (count > 0) wake()
  return count
}
