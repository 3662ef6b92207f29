import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { ExternalLoginStore } from './external-login-store.ts'

const BATCH = 2000

/** Removes sign-ins at providers that nobody finished. Any instance may run it. */
export const sweepExternalLogins = (deps: {
  logins: Pick<ExternalLoginStore, 'sweep'>
  clock: Clock
}): Job => ({
  name: 'sweep-external-logins',
  everyMs: 5 * MINUTE_MS,
  async run(signal) {
    let removed = BATCH
    while (removed === BATCH && !signal.aborted) removed = await deps.logins.sweep(deps.clock.now(), BATCH)
  },
})
