import { pauseSubscription, resumeSubscription } from '@platform/contracts'
import { sql } from '@platform/database'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  numbersOf,
  refusesOthers,
  SOON,
  startReceiver,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

describe('pausing a subscription', () => {
  test('sends nothing more, and what happens meanwhile is not collected', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    await using other = await startReceiver()
    const { id } = await subscribed(service, workspaceId, receiver.url)
    await subscribed(service, workspaceId, other.url)
    const params = { workspaceId, subscriptionId: id }
    const eve = service.as({ userId: 'eve' })
    expect(await eve(pauseSubscription, { params })).toMatchObject({ active: false, pausedReason: 'manual' })
    await emitOrders(service, workspaceId, 1)
    await vi.waitFor(() => expect(other.got).toHaveLength(1), SOON)
    await service.database.many(sql`update events.subscriptions set active_since = now() where id = ${id}`)
    await eve(resumeSubscription, { params })
    await emitOrders(service, workspaceId, 2)
    await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([2]), SOON)
  })

  refusesOthers(pauseSubscription)
})
