import { authenticated } from '@platform/auth'
import { redeliverSubscriptionDelivery as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { isUuid } from '@platform/kernel'
import { admitManager } from './admit-manager.ts'
import { deliveryNotFound, describedDelivery } from './delivery.ts'
import { lockSubscription } from './find-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'

export const redeliverSubscriptionDelivery = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'permissions' | 'clock'>,
) =>
  route(endpoint, {
    access: authenticated,
    async handle({ params: { workspaceId: address, subscriptionId, deliveryId }, principal }) {
      const { workspaceId } = await admitManager(deps.permissions, principal, address)
      const now = deps.clock.now()

      const again = await deps.changes.commit(async ({ subscriptions, deliveries }) => {
        const { id } = await lockSubscription(subscriptions, workspaceId, subscriptionId)
        return isUuid(deliveryId) ? await deliveries.redeliver(id, deliveryId, now) : undefined
      })
      if (again === undefined) throw deliveryNotFound()

      return describedDelivery(again)
    },
  })
