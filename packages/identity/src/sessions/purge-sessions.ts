import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Job } from '@platform/service'

/** Deletes sessions and access tokens that are over, and revocations everybody has seen. Any instance may do it. */
export const purgeSessions = (deps: {
  sessions: { deleteOver(now: Date): Promise<number> }
  accessTokens: { deleteOver(now: Date): Promise<unknown> }
  revocations: { deleteOld(): Promise<unknown> }
  clock: Clock
}): Job => ({
  name: 'purge-sessions',
  everyMs: 10 * MINUTE_MS,
  async run(signal) {
    while (!signal.aborted && (await deps.sessions.deleteOver(deps.clock.now())) > 0);
    await deps.accessTokens.deleteOver(deps.clock.now())
    await deps.revocations.deleteOld()
  },
})
