import { replaySubscription as endpoint, eventStream } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure, isUuid, uuidv7 } from '@platform/kernel'
import type { SubscriptionNeeds } from './needs.ts'
import { lockSubscription } from './subscription-access.ts'

export const replaySubscription = (
  deps: Pick<SubscriptionNeeds, 'changes' | 'search' | 'logCatchUp' | 'clock'>,
) =>
  route(endpoint, {
    async handle({ params, body, admitted: { workspace } }) {
      const now = deps.clock.now()
      // The end is excluded: what was created in this very millisecond belongs to it.
      const toAt = body.to === undefined ? new Date(now.getTime() + 1) : new Date(body.to)
      await deps.logCatchUp.caughtUp(workspace.id, toAt)
      const fromEvent = isUuid(body.from) ? body.from : null
      if (fromEvent !== null) await requireEvent(deps.search, workspace.id, fromEvent)

      const id = uuidv7()
      await deps.changes.commit(async ({ subscriptions, replays }) => {
        const found = await lockSubscription(subscriptions, workspace.id, params.subscriptionId)
        const fromAt = fromEvent === null ? new Date(body.from) : null
        if (!(await replays.insert({ id, subscriptionId: found.id, fromEvent, fromAt, toAt }, now)))
          throw new Failure(
            'ResourceLocked',
            'A replay of this subscription is under way: wait until it has ended.',
          )
      })

      return { id, state: 'running' as const }
    },
  })

async function requireEvent(
  search: Pick<SubscriptionNeeds['search'], 'find'>,
  workspaceId: string,
  id: string,
): Promise<void> {
  const filter = { path: 'id', in: [id] }
  const found = await search.find(eventStream(workspaceId), { filter, sort: 'asc', limit: 1 })
  if (found.length === 0)
    throw new Failure(
      'ObjectNotFoundError',
      'There is no such event in this workspace: give an instant instead.',
    )
}
