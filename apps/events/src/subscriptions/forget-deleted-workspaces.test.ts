import { sql } from '@platform/database'
import { DAY_MS } from '@platform/kernel'
import { describe, expect } from 'vitest'
import { movedClock, newWorkspace, subscribed, test } from '../../test/subscription-fixture.ts'
import { subscriptionStore } from './subscription-store.ts'
import { forgetDeletedWorkspaces } from './subscription-upkeep.ts'

describe('the subscriptions of a deleted workspace', () => {
  test('are there until its events go, those of other workspaces stay', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const clock = movedClock()
    const subscriptions = subscriptionStore(service.database)
    const forget = () =>
      forgetDeletedWorkspaces({ subscriptions, clock, keptDays: 30 }).run(new AbortController().signal)
    const other = await newWorkspace(service)
    await subscribed(service, workspaceId, receiver.url)
    await subscribed(service, other, receiver.url)
    await service.database.many(
      sql`update permissions.workspaces set deleted_at = now() where id = ${workspaceId}`,
    )
    const counts = async () => [await subscriptions.count(workspaceId), await subscriptions.count(other)]
    clock.advance(29 * DAY_MS)
    await forget()
    expect(await counts()).toEqual([1, 1])
    clock.advance(2 * DAY_MS)
    await forget()
    expect(await counts()).toEqual([0, 1])
  })
})
