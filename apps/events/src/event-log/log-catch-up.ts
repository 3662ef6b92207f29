import { setTimeout as pause } from 'node:timers/promises'
import { RELAY_READER } from '@platform/broker'
import type { Database } from '@platform/database'
import { Failure } from '@platform/kernel'
import { listLacking, withoutLogged } from './log-lag-store.ts'

const LOOK_EVERY_MS = 25
const LONGEST_WAIT_MS = 2500
const RETRY_AFTER_SECONDS = 5

/** Lets who reads the log find what was accepted before. */
export interface LogCatchUp {
  /**
   * Resolves when the log has the events of a workspace that are committed by now and were created before an instant:
   * at once where it has. Rejects with ServiceUnavailable where that takes too long.
   */
  caughtUp(workspaceId: string, before: Date): Promise<void>
}

export const logCatchUp = (database: Database): LogCatchUp => ({
  async caughtUp(workspaceId, before) {
    const endsAt = performance.now() + LONGEST_WAIT_MS
    // What comes later is not waited for, so that the wait ends while events go on coming.
    let lacking = await listLacking(database, { workspaceId, before, relayReader: RELAY_READER })
    while (lacking.length > 0) {
      if (performance.now() > endsAt) throw behind(lacking.length)
      await pause(LOOK_EVERY_MS)
      lacking = await withoutLogged(database, lacking)
    }
  },
})

const behind = (count: number) =>
  new Failure(
    'ServiceUnavailable',
    `The event log lacks ${count} of the last events of the workspace that were accepted: try again in some seconds.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )
