import { listSubscriptionDeliveries as endpoint } from '@platform/contracts'
import { nextLink, respond, route } from '@platform/http'
import { describedDelivery } from './delivery.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { findSubscription, readerOf } from './subscription-access.ts'

export const listSubscriptionDeliveries = (deps: Pick<SubscriptionNeeds, 'subscriptions' | 'deliveries'>) =>
  route(endpoint, {
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
