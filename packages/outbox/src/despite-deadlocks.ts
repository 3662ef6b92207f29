import { setTimeout as pause } from 'node:timers/promises'
import { StoreError } from '@platform/kernel'

/** What PostgreSQL undid for the sake of another transaction: that one ends, and the work can be done. */
const UNDONE = new Set(['40001', '40P01'])
const MOST_TRIES = 3
const LONGEST_PAUSE_MS = 50

/**
 * Does work that is one transaction, and does it again, twice at most, where a deadlock or another transaction undid
 * it.
 */
export async function despiteDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isUndone = error instanceof StoreError && UNDONE.has(error.code ?? '')
      if (!isUndone || tries === MOST_TRIES) throw error
      // Two that met would else meet again.
      await pause(Math.random() * LONGEST_PAUSE_MS)
    }
  }
}
