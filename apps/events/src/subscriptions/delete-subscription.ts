import { deleteSubscription as endpoint, getSubscription } from '@platform/contracts'
import { etagOf, requireMatch, route } from '@platform/http'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { lockSubscription, managerOf } from './subscription-access.ts'

/** Its deliveries can't be seen any more, and go with their weeks. */
export const deleteSubscription = (deps: Pick<SubscriptionNeeds, 'changes'>) =>
  route(endpoint, {
    async handle({ params, principal, request, admitted }) {
      const manager = managerOf(principal, admitted)

      const id = await deps.changes.commit(async ({ subscriptions }) => {
        const found = await lockSubscription(subscriptions, manager.workspaceId, params.subscriptionId)
        requireMatch(request.headers, etagOf(getSubscription, described(found)))
        await subscriptions.remove(found.id)
        return found.id
      })

      return { id }
    },
  })
