import { pauseSubscription as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { changedBy, commitChange } from './change-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { managerOf } from './subscription-access.ts'

export const pauseSubscription = (deps: Pick<SubscriptionNeeds, 'changes' | 'masterKeys' | 'clock'>) =>
  route(endpoint, {
    async handle({ params, principal, admitted }) {
      const manager = managerOf(principal, admitted)
      const now = deps.clock.now()

      const changed = await commitChange(deps, manager, params.subscriptionId, (before) =>
        changedBy(before, { active: false }, manager, deps.masterKeys, now),
      )

      return described(changed)
    },
  })
