import type { EventContract, PayloadInputOf } from '@platform/contracts'
import type { Database, QueryOptions } from '@platform/database'
import type { Outbox } from '@platform/outbox'
import { type DeliveryStore, deliveryStore } from './delivery-store.ts'
import { type ReplayStore, replayStore } from './replay-store.ts'
import {
  type SealedSubscriptionStore,
  type SubscriptionStore,
  sealedSubscriptionStore,
  subscriptionStore,
} from './subscription-store.ts'

/** What is committed together or not at all. */
export interface SubscriptionChange {
  subscriptions: SubscriptionStore
  deliveries: DeliveryStore
  replays: ReplayStore
  sealed: SealedSubscriptionStore
  emit<C extends EventContract>(contract: C, payload: PayloadInputOf<C>, workspaceId: string): Promise<void>
}

export type SubscriptionChangeStore = ReturnType<typeof subscriptionChangeStore>

/** Where subscriptions, their deliveries and replays are changed together. */
export const subscriptionChangeStore = (database: Database, outbox: Outbox) => ({
  commit: <T>(work: (change: SubscriptionChange) => Promise<T>, options?: QueryOptions): Promise<T> =>
    database.transaction(
      (tx) =>
        work({
          subscriptions: subscriptionStore(tx),
          deliveries: deliveryStore(tx),
          replays: replayStore(tx),
          sealed: sealedSubscriptionStore(tx),
          async emit(contract, payload, workspaceId) {
            await outbox.add(tx, contract, payload, { workspaceId, host: { service: 'events' } })
          },
        }),
      options,
    ),
})
