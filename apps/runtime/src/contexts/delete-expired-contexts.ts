import { MINUTE_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { ContextStore } from './context-store.ts'

/** Contexts deleted in one statement, so that none holds its locks for long. */
const BATCH = 1000

/** Deletes the values of runs and sessions that are over. Any instance may run it. */
export const deleteExpiredContexts = (contexts: Pick<ContextStore, 'deleteExpired'>): Job => ({
  name: 'delete-expired-contexts',
  everyMs: MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, contexts.deleteExpired),
})
