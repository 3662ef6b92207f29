import { type Clock, MINUTE_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { UserStore } from './user-store.ts'

const BATCH = 1000

/** Removes anonymous users whose time is over. Any instance may run it. */
export const purgeAnonymousUsers = (deps: {
  users: Pick<UserStore, 'deleteExpired'>
  clock: Clock
}): Job => ({
  name: 'purge-anonymous-users',
  everyMs: 10 * MINUTE_MS,
  run: (signal) => inBatches(BATCH, signal, (limit) => deps.users.deleteExpired(deps.clock.now(), limit)),
})
