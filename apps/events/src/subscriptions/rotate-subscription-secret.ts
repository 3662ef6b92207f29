import { rotateSubscriptionSecret as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { changedBy, commitChange } from './change-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described, newSecret, SECRET_OVERLAP_MS, sealContextOf } from './subscription.ts'
import { managerOf } from './subscription-access.ts'

export const rotateSubscriptionSecret = (deps: Pick<SubscriptionNeeds, 'changes' | 'masterKeys' | 'clock'>) =>
  route(endpoint, {
    async handle({ params, principal, admitted }) {
      const manager = managerOf(principal, admitted)
      const now = deps.clock.now()
      const secret = newSecret()

      const rotated = await commitChange(deps, manager, params.subscriptionId, (before) => ({
        ...changedBy(before, {}, manager, deps.masterKeys, now),
        secret: deps.masterKeys.seal(secret, sealContextOf(before.id, 'secret')),
        previousSecret: before.secret,
        previousSecretUntil: new Date(now.getTime() + SECRET_OVERLAP_MS),
      }))

      return respond({ ...described(rotated), secret }, { createdId: rotated.id })
    },
  })
