import type { EventRecord } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Permissions } from '@platform/permissions'
import { deliveryOf, type NewDelivery } from './delivery.ts'
import type { DeliveryStore } from './delivery-store.ts'
import { mayGet } from './may-get.ts'
import type { SubscriptionRecord } from './subscription.ts'
import type { SubscriptionStore } from './subscription-store.ts'
import { isWanted } from './wanted-events.ts'

interface Needs {
  subscriptions: Pick<SubscriptionStore, 'activeOf'>
  deliveries: Pick<DeliveryStore, 'add'>
  permissions: Pick<Permissions, 'roleOf'>
  clock: Clock
}

/**
 * Makes a delivery of each event for each active subscription of its workspace that asks for it. Subscriptions are asked for with every
 * batch, not cached: one that was just made misses nothing. Idempotent: a delivery's id is derived from event and subscription.
 */
export const fanOutEvents =
  (deps: Needs) =>
  async (events: EventRecord[]): Promise<void> => {
    const ids = events.flatMap(({ source }) => (source.workspaceId === undefined ? [] : [source.workspaceId]))
    if (ids.length === 0) return
    const subscriptions = await deps.subscriptions.activeOf([...new Set(ids)])
    if (subscriptions.length === 0) return

    const wanted: NewDelivery[] = []
    for (const event of events) wanted.push(...(await deliveriesOf(deps.permissions, event, subscriptions)))

    if (wanted.length > 0) await deps.deliveries.add(wanted, deps.clock.now())
  }

async function deliveriesOf(
  permissions: Needs['permissions'],
  event: EventRecord,
  subscriptions: readonly SubscriptionRecord[],
): Promise<NewDelivery[]> {
  const wanted: NewDelivery[] = []
  for (const subscription of subscriptions) {
    if (event.source.workspaceId !== subscription.workspaceId || !isWanted(subscription, event)) continue
    if (await mayGet(permissions, subscription, event)) wanted.push(deliveryOf(event, subscription.id))
  }
  return wanted
}
