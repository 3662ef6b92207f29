import type { Database } from '@platform/database'
import { type Clock, HOUR_MS } from '@platform/kernel'
import { dropOldPartitions, ensurePartitions as ensureOutboxPartitions, type Outbox } from '@platform/outbox'
import { userTopicStore } from '@platform/permissions'
import { ensurePartitions as ensureLogPartitions, type Log, type Search } from '@platform/search'
import { type Job, onOneInstance, type Part } from '@platform/service'
import { usageCounter } from '../usage/count-usage.ts'
import { usageStore } from '../usage/usage-store.ts'
import { workspaceUsage } from '../usage/workspace-usage.ts'
import { appendToLog, BRIEF_TYPES } from './append-to-log.ts'
import { emitEvents } from './emit-events.ts'
import { listEvents } from './list-events.ts'
import type { LogBackpressure } from './log-backpressure.ts'
import { LOG_GROUP } from './log-lag-store.ts'

interface Needs {
  database: Database
  outbox: Outbox
  eventLog: Log
  /** The index where one answers, else the log. */
  search: Search
  backpressure: LogBackpressure
  outboxRetentionHours: number
  clock: Clock
}

/** The log has one writer: commits in larger batches keep up with what many accept. */
const LOG_BATCH = 512

/** Accepting events, appending them to the log, and what is read from it: the feed and usage. */
export function eventLogPart(needs: Needs): Part {
  const { database, outbox, eventLog, search, backpressure, outboxRetentionHours, clock } = needs
  const usage = usageStore(database, outbox)
  const counter = usageCounter({ usage, eventLog, clock })
  return {
    routes: [
      emitEvents({ backpressure, outbox, clock, outboxRetentionHours }),
      listEvents({ search, topics: userTopicStore(database) }),
      workspaceUsage({ usage, counter }),
    ],
    subscriptions: [
      onOneInstance(LOG_GROUP, appendToLog({ log: eventLog }), {
        maxBatch: LOG_BATCH,
        briefTypes: BRIEF_TYPES,
      }),
    ],
    jobs: [keepPartitions(database, outboxRetentionHours, clock), ...backpressure.jobs, ...counter.jobs],
  }
}

/** Makes partitions of outbox and log ahead of time, and drops those of the outbox that every reader is past. */
const keepPartitions = (database: Database, outboxRetentionHours: number, clock: Clock): Job => ({
  name: 'keep-event-partitions',
  everyMs: HOUR_MS,
  async run() {
    const now = clock.now()
    await ensureOutboxPartitions(database, now)
    await ensureLogPartitions(database, now)
    await dropOldPartitions(database, now, outboxRetentionHours)
  },
})
