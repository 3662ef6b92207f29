import { getSubscriptionDelivery as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { isUuid } from '@platform/kernel'
import { deliveryNotFound, describedDelivery } from './delivery.ts'
import { isForOwners } from './may-get.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { findSubscription, readerOf } from './subscription-access.ts'

export const getSubscriptionDelivery = (deps: Pick<SubscriptionNeeds, 'subscriptions' | 'deliveries'>) =>
  route(endpoint, {
    async handle({ params: { subscriptionId, deliveryId }, admitted }) {
      const { workspaceId, seesAll } = readerOf(admitted)
      const { id } = await findSubscription(deps.subscriptions, workspaceId, subscriptionId)

      const found = isUuid(deliveryId) ? await deps.deliveries.find(id, deliveryId) : undefined
      // Tries show what was sent: of an event for owners that is for owners.
      if (found === undefined || (!seesAll && isForOwners({ type: found.eventType })))
        throw deliveryNotFound()

      return { ...describedDelivery(found), log: await deps.deliveries.log(found.id) }
    },
  })
