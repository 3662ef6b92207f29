import { type Clock, MINUTE_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { UserStore } from './user-store.ts'

const BATCH = 1000

/** Removes anonymous users whose time is over. Any instance may run it. */
export const purgeAnonymousUsers = (deps: {
  users: Pick<UserStore, 'deleteExpired'>
  clock: Clock
}): Job => ({
  name: 'purge-anonymous-users',
  everyMs: 10 * MINUTE_MS,
  async run(signal) {
    let deleted = BATCH
    while (deleted === BATCH && !signal.aborted)
      deleted = await deps.users.deleteExpired(deps.clock.now(), BATCH)
  },
})
