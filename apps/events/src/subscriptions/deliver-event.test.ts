import { listSubscriptionDeliveries } from '@platform/contracts'
import { Webhook } from 'standardwebhooks'
import { describe, expect, vi } from 'vitest'
import { emitOrders, numbersOf, SOON, subscribed, test } from './testing.ts'

describe('delivering events', () => {
  test('POSTs them as Standard Webhooks, signed so that the public library accepts them', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const { id, secret } = await subscribed(service, workspaceId, receiver.url, {
      headers: { 'X-Tenant': 'acme-1' },
    })
    const [eventId] = await emitOrders(service, workspaceId, 1)
    await vi.waitFor(() => expect(receiver.got).toHaveLength(1), SOON)
    const [got] = receiver.got
    const headers = got?.headers as Record<string, string>
    expect(new Webhook(secret).verify(got?.text ?? '', headers)).toMatchObject({
      type: 'order.placed',
      data: { id: eventId, payload: { number: 1 }, source: { userId: 'ada' } },
    })
    expect(got?.headers).toMatchObject({ 'content-type': 'application/json', 'x-tenant': 'acme-1' })
    await vi.waitFor(async () => {
      const list = await service.as({ userId: 'eve' })(listSubscriptionDeliveries, {
        params: { workspaceId, subscriptionId: id },
      })
      expect(list).toMatchObject([{ id: headers['webhook-id'], eventId, status: 'delivered', tries: 1 }])
    }, SOON)
  })

  test('sends only the types and values that are asked for', async ({ service, workspaceId, receiver }) => {
    await subscribed(service, workspaceId, receiver.url, { filter: { 'payload.number': [2, 4] } })
    await subscribed(service, workspaceId, receiver.url, { events: ['invoice.*'] })
    await emitOrders(service, workspaceId, 1, 2, 3, 4)
    await vi.waitFor(() => expect(numbersOf(receiver).toSorted()).toEqual([2, 4]), SOON)
  })
})
