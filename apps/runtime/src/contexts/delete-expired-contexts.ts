import { MINUTE_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { ContextStore } from './context-store.ts'

/** Deletes the values of runs and sessions that are over. */
export const deleteExpiredContexts = (contexts: ContextStore): Job => ({
  name: 'delete-expired-contexts',
  everyMs: MINUTE_MS,
  run: async () => void (await contexts.deleteExpired()),
})
