import { getSubscription as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { admitReader, findSubscription } from './subscription-access.ts'

export const getSubscription = (deps: Pick<SubscriptionNeeds, 'subscriptions' | 'permissions'>) =>
  route(endpoint, {
    async handle({ params, principal }) {
      const { workspaceId } = await admitReader(deps.permissions, principal, params.workspaceId)

      return described(await findSubscription(deps.subscriptions, workspaceId, params.subscriptionId))
    },
  })
