import { getSubscription as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { SubscriptionNeeds } from './needs.ts'
import { described } from './subscription.ts'
import { findSubscription, readerOf } from './subscription-access.ts'

export const getSubscription = (deps: Pick<SubscriptionNeeds, 'subscriptions'>) =>
  route(endpoint, {
    async handle({ params, admitted }) {
      const { workspaceId } = readerOf(admitted)

      return described(await findSubscription(deps.subscriptions, workspaceId, params.subscriptionId))
    },
  })
