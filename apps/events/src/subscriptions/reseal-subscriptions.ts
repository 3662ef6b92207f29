import { MINUTE_MS } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { inBatches, type Job } from '@platform/service'
import { placeOf, type SubscriptionRecord } from './subscription.ts'
import type { SubscriptionChangeStore } from './subscription-change-store.ts'

const BATCH = 200

/** Seals again, with the first master key, what another one has sealed, so that the other one may go. */
export const resealSubscriptions = (deps: {
  changes: SubscriptionChangeStore
  masterKeys: MasterKeyRing
}): Job => ({
  name: 'reseal-subscriptions',
  everyMs: 10 * MINUTE_MS,
  run: (signal) =>
    inBatches(BATCH, signal, (limit) =>
      deps.changes.commit(async ({ sealed }) => {
        const found = await sealed.sealedWithOther(deps.masterKeys.currentId, limit)
        for (const one of found) await sealed.reseal(resealed(one, deps.masterKeys))
        return found.length
      }),
    ),
})

function resealed(one: SubscriptionRecord, keys: MasterKeyRing): SubscriptionRecord {
  const again = (sealed: string, column: 'headers' | 'secret') =>
    keys.seal(keys.open(sealed, placeOf(one.id, column)), placeOf(one.id, column))
  return {
    ...one,
    secret: again(one.secret, 'secret'),
    previousSecret: one.previousSecret === null ? null : again(one.previousSecret, 'secret'),
    headers: one.headers === null ? null : again(one.headers, 'headers'),
  }
}
