import { authenticated } from '@platform/auth'
import { rotateSubscriptionSecret as endpoint } from '@platform/contracts'
import { answer, route } from '@platform/http'
import { admitManager } from './admit-manager.ts'
import { changedBy } from './change-subscription.ts'
import { lockSubscription } from './find-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described, newSecret, placeOf, SECRET_OVERLAP_MS, type SubscriptionRecord } from './subscription.ts'

export const rotateSubscriptionSecret = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'permissions' | 'masterKeys' | 'clock'>,
) =>
  route(endpoint, {
    access: authenticated,
    admit: ({ params, principal }) => admitManager(deps.permissions, principal, params.workspaceId),
    async handle({ params, admitted: manager }) {
      const now = deps.clock.now()
      const secret = newSecret()

      const rotated = await deps.changes.commit(async ({ subscriptions }) => {
        const before = await lockSubscription(subscriptions, manager.workspaceId, params.subscriptionId)
        const after: SubscriptionRecord = {
          ...changedBy(before, {}, manager, deps.masterKeys, now),
          secret: deps.masterKeys.seal(secret, placeOf(before.id, 'secret')),
          previousSecret: before.secret,
          previousSecretUntil: new Date(now.getTime() + SECRET_OVERLAP_MS),
        }
        await subscriptions.update(after)
        return after
      })

      return answer({ ...described(rotated), secret }, { createdId: rotated.id })
    },
  })
