import { type Clock, MINUTE_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { PendingSignInStore } from './pending-sign-in-store.ts'

const BATCH = 2000

/** Removes sign-ins at providers that nobody finished. Any instance may run it. */
export const sweepPendingSignIns = (deps: {
  logins: Pick<PendingSignInStore, 'sweep'>
  clock: Clock
}): Job => ({
  name: 'sweep-external-logins',
  everyMs: 5 * MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, (limit) => deps.logins.sweep(deps.clock.now(), limit)),
})
