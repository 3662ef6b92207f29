import type { Database } from '@platform/database'
import { type Clock, HOUR_MS } from '@platform/kernel'
import { dropOldPartitions, ensurePartitions as ensureOutboxPartitions } from '@platform/outbox'
import { ensurePartitions as ensureDocumentPartitions } from '@platform/search'
import type { Job } from '@platform/service'

/**
 * Makes the partitions of the outbox and of the documents ahead of time, and drops what every reader of the outbox is
 * past.
 */
export const keepPartitions = (deps: {
  database: Database
  clock: Clock
  outboxRetentionHours: number
}): Job => ({
  name: 'keep-event-partitions',
  everyMs: HOUR_MS,
  async run() {
    const now = deps.clock.now()
    await ensureOutboxPartitions(deps.database, now)
    await ensureDocumentPartitions(deps.database, now)
    await dropOldPartitions(deps.database, now, deps.outboxRetentionHours)
  },
})
