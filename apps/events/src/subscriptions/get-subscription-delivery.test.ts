import { emitEvents, getSubscriptionDelivery, listSubscriptionDeliveries } from '@platform/contracts'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  keyDelivery,
  refusesOthers,
  SOON,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

describe('one delivery', () => {
  test('is answered with its tries, and no secret of headers, payload or signature is in them', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    // An endpoint that echoes everything it was sent.
    receiver.respond = ({ text, headers }, response) => response.end(JSON.stringify({ text, headers }))
    const ada = service.as({ userId: 'ada' })
    const { id, secret } = await subscribed(service, workspaceId, receiver.url, {
      headers: { 'x-key': 'header-value-1' },
    })
    const payload = { city: 'Lyon', password: 'hunter-2-hunter', card: { apiKey: 'key-of-"ada"' } }
    await ada(emitEvents, { params: { workspaceId }, body: { events: [{ type: 'order.placed', payload }] } })
    const params = { workspaceId, subscriptionId: id }
    const shown = await vi.waitFor(async () => {
      const [one] = await ada(listSubscriptionDeliveries, { params, query: { status: 'delivered' } })
      expect(one).toBeDefined()
      return ada(getSubscriptionDelivery, { params: { ...params, deliveryId: one?.id ?? '' } })
    }, SOON)
    const [tried] = shown.log
    expect(tried).toMatchObject({ outcome: 'delivered', status: 200 })
    expect(tried?.request).toContain('Lyon')
    expect(tried?.response).toContain('Lyon')
    const signature = String(receiver.got[0]?.headers['webhook-signature'])
    for (const hidden of ['hunter-2-hunter', 'key-of-', 'header-value-1', secret, signature])
      expect(JSON.stringify(shown)).not.toContain(hidden)
  })

  test('is 404 where it belongs to another subscription', async ({ service, workspaceId, receiver }) => {
    const one = await subscribed(service, workspaceId, receiver.url)
    const two = await subscribed(service, workspaceId, receiver.url, { events: ['x'] })
    const ada = service.as({ userId: 'ada' })
    await emitOrders(service, workspaceId, 1)
    const [found] = await vi.waitFor(async () => {
      const list = await ada(listSubscriptionDeliveries, { params: { workspaceId, subscriptionId: one.id } })
      expect(list).toHaveLength(1)
      return list
    }, SOON)
    const params = { workspaceId, subscriptionId: two.id, deliveryId: found?.id ?? '' }
    await expect(ada(getSubscriptionDelivery, { params })).rejects.toMatchObject({ status: 404 })
  })

  test('is 404 for an editor where the event is for owners', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url, { active: false })
    const params = {
      workspaceId,
      subscriptionId: id,
      deliveryId: await keyDelivery(service, workspaceId, id),
    }
    expect(await service.as({ userId: 'ada' })(getSubscriptionDelivery, { params })).toMatchObject({
      log: [],
    })
    const asked = service.as({ userId: 'eve' })(getSubscriptionDelivery, { params })
    await expect(asked).rejects.toMatchObject({ status: 404 })
  })

  refusesOthers(getSubscriptionDelivery)
})
