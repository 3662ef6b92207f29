import { createSubscription as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure, uuidv7 } from '@platform/kernel'
import { changedBy, warningsOf } from './change-subscription.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { described, newSecret, type SubscriptionRecord, sealContextOf } from './subscription.ts'
import { managerOf } from './subscription-access.ts'
import { requireCheap } from './wanted-events.ts'

type Needs = Pick<SubscriptionNeeds, 'changes' | 'masterKeys' | 'clock' | 'outbound' | 'maxPerWorkspace'>

export const createSubscription = (deps: Needs) =>
  route(endpoint, {
    async handle({ body, principal, admitted }) {
      const manager = managerOf(principal, admitted)
      const now = deps.clock.now()
      const id = uuidv7()
      const secret = newSecret()

      const blank: SubscriptionRecord = {
        id,
        workspaceId: manager.workspaceId,
        name: '',
        url: '',
        events: [],
        filter: {},
        ordered: false,
        maxConcurrency: 1,
        headers: null,
        headerNames: [],
        secret: deps.masterKeys.seal(secret, sealContextOf(id, 'secret')),
        previousSecret: null,
        previousSecretUntil: null,
        active: true,
        activeSince: now,
        pausedReason: null,
        pausedAt: null,
        failingSince: null,
        createdBy: manager.id,
        updatedBy: manager.id,
        seesAll: manager.seesAll,
        createdAt: now,
        updatedAt: now,
      }
      const record = changedBy(blank, body, manager, deps.masterKeys, now)
      await deps.changes.commit(async ({ subscriptions }) => {
        await subscriptions.lockAll(manager.workspaceId)
        if ((await subscriptions.count(manager.workspaceId)) >= deps.maxPerWorkspace)
          throw new Failure(
            'ForbiddenError',
            `A workspace may have ${deps.maxPerWorkspace} subscriptions: delete one that is not needed any more.`,
          )
        await requireCheap(subscriptions, record)
        await subscriptions.insert(record)
      })

      const warned = await warningsOf(deps.outbound, record)
      return respond({ ...described(record), secret, ...warned }, { createdId: id })
    },
  })
