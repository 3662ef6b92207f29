import { listSubscriptionDeliveries } from '@platform/contracts'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  keyDelivery,
  refusesOthers,
  SOON,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

describe('listing deliveries', () => {
  test('answers newest first, by status, and page by page', async ({ service, workspaceId, receiver }) => {
    receiver.respond = ({ body }, response) =>
      response.writeHead(body.data.payload.number === 2 ? 500 : 204).end()
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const list = (query: { status?: 'pending' | 'delivered' | 'dead'; limit?: string; beforeId?: string }) =>
      service.as({ userId: 'eve' })(listSubscriptionDeliveries, {
        params: { workspaceId, subscriptionId: id },
        query,
      })
    const ids: string[] = []
    for (const number of [1, 2, 3]) ids.push(...(await emitOrders(service, workspaceId, number)))
    await vi.waitFor(async () => expect(await list({ status: 'delivered' })).toHaveLength(2), SOON)
    await vi.waitFor(
      async () =>
        expect(await list({ status: 'pending' })).toMatchObject([{ eventId: ids[1], lastStatus: 500 }]),
      SOON,
    )
    expect(await list({ status: 'dead' })).toEqual([])
    expect((await list({})).map(({ eventId }) => eventId)).toEqual(ids.toReversed())
    const [first] = await list({ limit: '1' })
    const next = await list({ limit: '1', beforeId: first?.id ?? '' })
    expect(next.map(({ eventId }) => eventId)).toEqual([ids[1]])
  })

  test('shows those of events for owners to owners only', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url, { active: false })
    const deliveryId = await keyDelivery(service, workspaceId, id)
    const list = (userId: string) =>
      service.as({ userId })(listSubscriptionDeliveries, { params: { workspaceId, subscriptionId: id } })
    expect(await list('ada')).toMatchObject([{ id: deliveryId, eventType: 'apikeys.created' }])
    expect(await list('eve')).toEqual([])
  })

  test.for([{ status: 'lost' }, { beforeId: 'x' }, { limit: '101' }])(
    'refuses %j',
    async (query, { service, workspaceId }) => {
      const params = { workspaceId, subscriptionId: workspaceId }
      const attempt = service.as({})(listSubscriptionDeliveries, { params, query: query as never })
      await expect(attempt).rejects.toMatchObject({ status: 400 })
    },
  )

  refusesOthers(listSubscriptionDeliveries)
})
