import { patchSubscription as endpoint, getSubscription } from '@platform/contracts'
import { etagOf, requireMatch, respond, route } from '@platform/http'
import { changedBy, commitChange, warningsOf } from './change-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { managerOf } from './subscription-access.ts'

export const patchSubscription = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'masterKeys' | 'clock' | 'outbound'>,
) =>
  route(endpoint, {
    async handle({ params, body, principal, request, admitted }) {
      const manager = managerOf(principal, admitted)
      const now = deps.clock.now()

      const changed = await commitChange(deps, manager, params.subscriptionId, (before) => {
        requireMatch(request.headers, etagOf(getSubscription, described(before)))
        return changedBy(before, body, manager, deps.masterKeys, now)
      })

      // Warnings are about the world, not about the subscription: its state has the same tag with and without them.
      const etag = etagOf(getSubscription, described(changed))
      const warned = await warningsOf(deps.outbound, changed)
      return respond({ ...described(changed), ...warned }, { headers: { etag } })
    },
  })
