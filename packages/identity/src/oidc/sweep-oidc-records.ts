import { type Clock, MINUTE_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'

interface Swept {
  /** Removes at most `limit` rows; answers how many. */
  sweep(before: Date, limit: number): Promise<number>
}

const BATCH = 2000

/** A while after its end a code is still recognised as used, so that a replay is noticed. */
const KEEP_MS = 10 * MINUTE_MS

/**
 * Removes codes, interactions, browser sessions, grants and refresh tokens whose time is over. Any instance may run
 * it.
 */
export const sweepOidcRecords = (deps: { stores: readonly Swept[]; clock: Clock }): Job => ({
  name: 'sweep-oidc-records',
  everyMs: 5 * MINUTE_MS,
  async run(signal) {
    const before = new Date(deps.clock.now().getTime() - KEEP_MS)
    for (const store of deps.stores) await inBatches(BATCH, signal, (limit) => store.sweep(before, limit))
  },
})
