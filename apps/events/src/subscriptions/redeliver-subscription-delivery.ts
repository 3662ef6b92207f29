import { redeliverSubscriptionDelivery as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { isUuid } from '@platform/kernel'
import { deliveryNotFound, describedDelivery } from './delivery.ts'
import { mayGet } from './may-get.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { lockSubscription, managerOf } from './subscription-access.ts'

export const redeliverSubscriptionDelivery = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'permissions' | 'clock'>,
) =>
  route(endpoint, {
    async handle({ params: { subscriptionId, deliveryId }, principal, admitted }) {
      const { workspaceId } = managerOf(principal, admitted)
      const now = deps.clock.now()

      const again = await deps.changes.commit(async ({ subscriptions, deliveries }) => {
        const found = await lockSubscription(subscriptions, workspaceId, subscriptionId)
        const row = isUuid(deliveryId) ? await deliveries.redeliver(found.id, deliveryId, now) : undefined
        // The address may have been changed since by somebody for whom the event is not.
        const isAllowed = row && (await mayGet(deps.permissions, found, { type: row.eventType }))
        if (row === undefined || isAllowed !== true) throw deliveryNotFound()
        return row
      })

      return describedDelivery(again)
    },
  })
