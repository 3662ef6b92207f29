import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { inBatches, type Job } from '@platform/service'
import type { DeliveryPartitionStore } from './delivery-partition-store.ts'
import { type SubscriptionRecord, sealContextOf } from './subscription.ts'
import type { SubscriptionChangeStore } from './subscription-change-store.ts'
import type { SubscriptionStore } from './subscription-store.ts'

// Jobs that keep the tables of subscriptions in order. Any instance may run them.

/** Makes the weeks to come ahead of time and drops what is older than 30 days. */
export const keepDeliveryPartitions = (deps: { partitions: DeliveryPartitionStore; clock: Clock }): Job => ({
  name: 'keep-delivery-partitions',
  everyMs: HOUR_MS,
  async run() {
    const now = deps.clock.now()
    await deps.partitions.make(now)
    await deps.partitions.drop(now)
    await deps.partitions.dropStrays(now)
  },
})

/**
 * Removes the subscriptions of deleted workspaces when their events go, so that one that is restored in time has them
 * still. `keptDays` count from the deletion.
 */
export const forgetDeletedWorkspaces = (deps: {
  subscriptions: Pick<SubscriptionStore, 'removeOfDeleted'>
  clock: Clock
  keptDays: number
}): Job => ({
  name: 'forget-subscriptions',
  everyMs: HOUR_MS,
  async run() {
    await deps.subscriptions.removeOfDeleted(new Date(deps.clock.now().getTime() - deps.keptDays * DAY_MS))
  },
})

const RESEAL_BATCH = 200

/** Seals again, with the first master key, what another one has sealed, so that the other one may go. */
export const resealSubscriptions = (deps: {
  changes: SubscriptionChangeStore
  masterKeys: MasterKeyRing
}): Job => ({
  name: 'reseal-subscriptions',
  everyMs: 10 * MINUTE_MS,
  run: (signal) =>
    inBatches(RESEAL_BATCH, signal, (limit) =>
      deps.changes.commit(async ({ sealed }) => {
        const found = await sealed.sealedWithOther(deps.masterKeys.currentId, limit)
        for (const one of found) await sealed.reseal(resealed(one, deps.masterKeys))
        return found.length
      }),
    ),
})

function resealed(one: SubscriptionRecord, keys: MasterKeyRing): SubscriptionRecord {
  const again = (sealed: string, column: 'headers' | 'secret') =>
    keys.seal(keys.open(sealed, sealContextOf(one.id, column)), sealContextOf(one.id, column))
  return {
    ...one,
    secret: again(one.secret, 'secret'),
    previousSecret: one.previousSecret === null ? null : again(one.previousSecret, 'secret'),
    headers: one.headers === null ? null : again(one.headers, 'headers'),
  }
}
