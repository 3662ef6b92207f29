import { setTimeout as pause } from 'node:timers/promises'
import { inBatches, type Job } from '@platform/service'
import type { RunStore } from './run-store.ts'

/** How many runs were let go on, and in how many milliseconds the wait of the next one is over, if that is soon. */
export interface WokenRuns {
  readonly count: number
  readonly nextMs: number | null
}

/** Lets so many runs at most go on whose wait is over, and looks `aheadMs` ahead. */
export type WakeDue = (limit: number, aheadMs: number) => Promise<WokenRuns>

interface Deps {
  readonly runs: Pick<RunStore, 'queueDue'>
  /** Makes the workers of this instance look for queued runs. */
  readonly wakeWorkers: () => void
  readonly wakeDue: WakeDue
  readonly wakeForWoken: () => void
}

const LOOK_MS = 250
/** A look sees beyond the next one, however late that comes. */
const AHEAD_MS = 2 * LOOK_MS
/** While time after time is over, looks lie so far apart: each instance has its own. */
const REST_MS = 50
const BATCH = 500

/**
 * Queues runs whose time has come, and lets those go on whose wait is over: at that moment, as far as a look before it
 * could see it. Any instance does it for all.
 */
export const queueDueRuns = (deps: Deps): Job => ({
  name: 'queue-due-runs',
  everyMs: LOOK_MS,
  async run(signal) {
    let nextMs = await look(deps, signal)
    while (nextMs !== null && !signal.aborted) {
      const restMs = Math.min(Math.max(Math.ceil(nextMs), REST_MS), LOOK_MS)
      await pause(restMs, undefined, { signal }).catch(() => undefined)
      nextMs = await look(deps, signal)
    }
  },
})

/** Answers in how many milliseconds the next wait is over; null where that is not soon. */
async function look(deps: Deps, signal: AbortSignal): Promise<number | null> {
  const { runs, wakeWorkers, wakeDue, wakeForWoken } = deps
  let nextMs: number | null = null
  await inBatches(BATCH, signal, async (limit) => told(await runs.queueDue(limit), wakeWorkers))
  await inBatches(BATCH, signal, async (limit) => {
    const woken = await wakeDue(limit, AHEAD_MS)
    nextMs = woken.nextMs
    return told(woken.count, wakeForWoken)
  })
  return nextMs
}

function told(count: number, wake: () => void): number {
  if (count > 0) wake()
  return count
}
