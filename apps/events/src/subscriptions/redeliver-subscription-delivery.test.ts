import {
  getSubscriptionDelivery,
  listSubscriptionDeliveries,
  patchSubscription,
  redeliverSubscriptionDelivery,
} from '@platform/contracts'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  keyDelivery,
  refusesOthers,
  SOON,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

describe('redelivering', () => {
  test('sends a delivery again that arrived, with the same webhook-id', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId, subscriptionId: id }
    const ada = service.as({ userId: 'ada' })
    await emitOrders(service, workspaceId, 1)
    const deliveryId = await vi.waitFor(async () => {
      const [one] = await ada(listSubscriptionDeliveries, { params, query: { status: 'delivered' } })
      expect(one).toBeDefined()
      return one?.id ?? ''
    }, SOON)
    const again = await ada(redeliverSubscriptionDelivery, { params: { ...params, deliveryId } })
    expect(again).toMatchObject({ id: deliveryId, status: 'pending', tries: 0 })
    await vi.waitFor(
      () =>
        expect(receiver.got.map(({ headers }) => headers['webhook-id'])).toEqual([deliveryId, deliveryId]),
      SOON,
    )
    await vi.waitFor(async () => {
      const shown = await ada(getSubscriptionDelivery, { params: { ...params, deliveryId } })
      expect(shown).toMatchObject({ status: 'delivered', tries: 1, log: [{}, { outcome: 'delivered' }] })
    }, SOON)
  })

  test('is 404 for a delivery that is missing', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    for (const deliveryId of ['x', id]) {
      const params = { workspaceId, subscriptionId: id, deliveryId }
      await expect(service.as({})(redeliverSubscriptionDelivery, { params })).rejects.toMatchObject({
        status: 404,
      })
    }
  })

  test('sends no event for owners to an address that an editor has written', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url, { active: false })
    const params = {
      workspaceId,
      subscriptionId: id,
      deliveryId: await keyDelivery(service, workspaceId, id),
    }
    const ada = service.as({ userId: 'ada' })
    const eve = service.as({ userId: 'eve' })
    expect(await ada(redeliverSubscriptionDelivery, { params })).toMatchObject({ status: 'pending' })
    await eve(patchSubscription, { params, body: { name: 'mine' } })
    await expect(eve(redeliverSubscriptionDelivery, { params })).rejects.toMatchObject({ status: 404 })
  })

  refusesOthers(redeliverSubscriptionDelivery)
})
