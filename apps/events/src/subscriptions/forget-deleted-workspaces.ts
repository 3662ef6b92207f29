import { type Clock, DAY_MS, HOUR_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import type { SubscriptionStore } from './subscription-store.ts'

/**
 * Removes the subscriptions of deleted workspaces when their events go, so that one that is restored in time has them
 * still.
 */
export const forgetDeletedWorkspaces = (deps: {
  subscriptions: Pick<SubscriptionStore, 'removeOfDeleted'>
  clock: Clock
  /** Days after the deletion. */
  keptDays: number
}): Job => ({
  name: 'forget-subscriptions',
  everyMs: HOUR_MS,
  async run() {
    await deps.subscriptions.removeOfDeleted(new Date(deps.clock.now().getTime() - deps.keptDays * DAY_MS))
  },
})
