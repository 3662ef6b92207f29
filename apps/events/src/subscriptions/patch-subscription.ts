import { authenticated } from '@platform/auth'
import { patchSubscription as endpoint, getSubscription } from '@platform/contracts'
import { etagOf, requireMatch, route } from '@platform/http'
import { admitManager } from './admit-manager.ts'
import { changedBy } from './change-subscription.ts'
import { lockSubscription } from './find-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'

export const patchSubscription = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'permissions' | 'masterKeys' | 'clock'>,
) =>
  route(endpoint, {
    access: authenticated,
    async handle({ params, body, principal, request }) {
      const manager = await admitManager(deps.permissions, principal, params.workspaceId)
      const now = deps.clock.now()

      const changed = await deps.changes.commit(async ({ subscriptions }) => {
        const before = await lockSubscription(subscriptions, manager.workspaceId, params.subscriptionId)
        requireMatch(request.headers, etagOf(getSubscription, described(before)))
        const after = changedBy(before, body, manager, deps.masterKeys, now)
        await subscriptions.update(after)
        return after
      })

      return described(changed)
    },
  })
