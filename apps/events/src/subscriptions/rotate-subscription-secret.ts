import { rotateSubscriptionSecret as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { changedBy, commitChange } from './change-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described, newSecret, placeOf, SECRET_OVERLAP_MS } from './subscription.ts'
import { admitManager } from './subscription-access.ts'

export const rotateSubscriptionSecret = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'permissions' | 'masterKeys' | 'clock'>,
) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitManager(deps.permissions, principal, params.workspaceId),
    async handle({ params, admitted: manager }) {
      const now = deps.clock.now()
      const secret = newSecret()

      const rotated = await commitChange(deps, manager, params.subscriptionId, (before) => ({
        ...changedBy(before, {}, manager, deps.masterKeys, now),
        secret: deps.masterKeys.seal(secret, placeOf(before.id, 'secret')),
        previousSecret: before.secret,
        previousSecretUntil: new Date(now.getTime() + SECRET_OVERLAP_MS),
      }))

      return respond({ ...described(rotated), secret }, { createdId: rotated.id })
    },
  })
