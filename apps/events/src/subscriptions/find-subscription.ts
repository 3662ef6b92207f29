import { isUuid } from '@platform/kernel'
import { type SubscriptionRecord, subscriptionNotFound } from './subscription.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/** The subscription of a workspace that a path names, or 404. */
export const findSubscription = (
  subscriptions: Pick<SubscriptionStore, 'find'>,
  workspaceId: string,
  id: string,
): Promise<SubscriptionRecord> => required(id, () => subscriptions.find(workspaceId, id))

/** The same, locked until the transaction ends. */
export const lockSubscription = (
  subscriptions: Pick<SubscriptionStore, 'lock'>,
  workspaceId: string,
  id: string,
): Promise<SubscriptionRecord> => required(id, () => subscriptions.lock(workspaceId, id))

async function required(
  id: string,
  find: () => Promise<SubscriptionRecord | undefined>,
): Promise<SubscriptionRecord> {
  const found = isUuid(id) ? await find() : undefined
  if (found === undefined) throw subscriptionNotFound()
  return found
}
