import { getSubscriptionDelivery as get, listSubscriptionDeliveries as list } from '@platform/contracts'
import { nextLink, respond, route } from '@platform/http'
import { isUuid } from '@platform/kernel'
import { isForOwners } from '../event-log/event-visibility.ts'
import { deliveryNotFound, describedDelivery } from './delivery-store.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { findSubscription, readerOf } from './subscription-access.ts'

type Needs = Pick<SubscriptionNeeds, 'subscriptions' | 'deliveries'>

export const listSubscriptionDeliveries = (deps: Needs) =>
  route(list, {
    async handle({ params, query, request, admitted }) {
      const { workspaceId, seesAll } = readerOf(admitted)
      const { id } = await findSubscription(deps.subscriptions, workspaceId, params.subscriptionId)

      const { limit, status, beforeId } = query
      const found = await deps.deliveries.list(id, { limit: limit + 1, status, beforeId, seesAll })

      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      const headers = found.length > limit && last ? { link: nextLink(request.url, 'beforeId', last.id) } : {}
      return respond(shown.map(describedDelivery), { headers })
    },
  })

export const getSubscriptionDelivery = (deps: Needs) =>
  route(get, {
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
