import { deleteSubscription, getSubscription } from '@platform/contracts'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  refusesOthers,
  SOON,
  startReceiver,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

describe('deleting a subscription', () => {
  test('ends it', async ({ service, workspaceId, receiver }) => {
    const ada = service.as({ userId: 'ada' })
    const gone = await subscribed(service, workspaceId, receiver.url)
    const stays = await startReceiver()
    await using _stays = stays
    await subscribed(service, workspaceId, stays.url)
    const params = { workspaceId, subscriptionId: gone.id }
    expect(await ada(deleteSubscription, { params })).toEqual({ id: gone.id })
    await expect(ada(getSubscription, { params })).rejects.toMatchObject({ status: 404 })
    await emitOrders(service, workspaceId, 1)
    await vi.waitFor(() => expect(stays.got).toHaveLength(1), SOON)
    expect(receiver.got).toEqual([])
  })

  refusesOthers(deleteSubscription)
})
