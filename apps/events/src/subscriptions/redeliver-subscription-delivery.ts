import { redeliverSubscriptionDelivery as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { isUuid } from '@platform/kernel'
import { mayReceive } from '../event-log/event-visibility.ts'
import { deliveryNotFound, describedDelivery } from './delivery-store.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { lockSubscription } from './subscription-access.ts'

export const redeliverSubscriptionDelivery = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'permissions' | 'clock'>,
) =>
  route(endpoint, {
    async handle({ params: { subscriptionId, deliveryId }, admitted: { workspace } }) {
      const now = deps.clock.now()

      const again = await deps.changes.commit(async ({ subscriptions, deliveries }) => {
        const found = await lockSubscription(subscriptions, workspace.id, subscriptionId)
        const row = isUuid(deliveryId) ? await deliveries.redeliver(found.id, deliveryId, now) : undefined
        // The address may have been changed since by a member who may not see the event.
        const isAllowed = row && (await mayReceive(deps.permissions, found, { type: row.eventType }))
        if (row === undefined || isAllowed !== true) throw deliveryNotFound()
        return row
      })

      return describedDelivery(again)
    },
  })
