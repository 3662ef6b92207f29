import { authenticated } from '@platform/auth'
import { pauseSubscription as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { admitManager } from './admit-manager.ts'
import { changedBy } from './change-subscription.ts'
import { lockSubscription } from './find-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'

export const pauseSubscription = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'permissions' | 'masterKeys' | 'clock'>,
) =>
  route(endpoint, {
    access: authenticated,
    async handle({ params, principal }) {
      const manager = await admitManager(deps.permissions, principal, params.workspaceId)
      const now = deps.clock.now()

      const changed = await deps.changes.commit(async ({ subscriptions }) => {
        const before = await lockSubscription(subscriptions, manager.workspaceId, params.subscriptionId)
        const after = changedBy(before, { active: false }, manager, deps.masterKeys, now)
        await subscriptions.update(after)
        return after
      })

      return described(changed)
    },
  })
