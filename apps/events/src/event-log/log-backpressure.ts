import { setTimeout as pause } from 'node:timers/promises'
import { RELAY_READER } from '@platform/broker'
import type { Database } from '@platform/database'
import { Failure, SECOND_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import { logLagMs } from './log-lag-store.ts'

const LOOK_EVERY_MS = 2 * SECOND_MS
/** The log may be this far behind before anybody waits for it: a burst is written in less. */
const UNHURRIED_MS = 10 * SECOND_MS
/** Each second further behind is a fiftieth of a second that every caller waits, up to the longest. */
const WAIT_SHARE = 1 / 50
const LONGEST_WAIT_MS = SECOND_MS
const RETRY_AFTER_SECONDS = 30

/** Lets accepting be no faster than keeping, for long. */
export interface LogBackpressure {
  /** Resolves when an event may be accepted: later, where the log is behind. Rejects where it is too far behind. */
  admit(): Promise<void>
  jobs: Job[]
}

/** Looks how far the log is behind; every instance looks for itself. */
export function logBackpressure({
  database,
  maxLagMs,
}: {
  database: Database
  maxLagMs: number
}): LogBackpressure {
  let lagMs = 0
  return {
    async admit() {
      if (lagMs <= UNHURRIED_MS) return
      if (lagMs > maxLagMs) throw tooFarBehind(lagMs)
      await pause(Math.min(LONGEST_WAIT_MS, (lagMs - UNHURRIED_MS) * WAIT_SHARE))
    },
    jobs: [
      {
        name: 'watch-log-lag',
        everyMs: LOOK_EVERY_MS,
        run: async () => {
          lagMs = await logLagMs(database, RELAY_READER)
        },
      },
    ],
  }
}

const tooFarBehind = (lagMs: number) =>
  new Failure(
    'ServiceUnavailable',
    `The event log is ${Math.round(lagMs / SECOND_MS)} s behind and takes no more events for now; ` +
      'send them again later.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
