import {
  emitEvents,
  getSubscription,
  getSubscriptionDelivery,
  listSubscriptionDeliveries,
  patchSubscription,
  replaySubscription,
} from '@platform/contracts'
import { Webhook } from 'standardwebhooks'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  keyDelivery,
  numbersOf,
  SOON,
  startReceiver,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

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

  test('sends none that has an audience, not even replayed', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const ada = service.as({ userId: 'ada' })
    const targets = [{ userId: 'ada' }, { sessionId: 's' }, { userTopic: 't' }, { currentSocket: true }, {}]
    const list = targets.map((target, number) => ({ type: 'order.placed', payload: { number }, target }))
    const from = new Date(Date.now() - 5000).toISOString()
    await ada(emitEvents, { params: { workspaceId }, body: { events: list } })
    await emitOrders(service, workspaceId, 5)
    await vi.waitFor(() => expect(numbersOf(receiver).toSorted()).toEqual([4, 5]), SOON)
    await ada(replaySubscription, { params: { workspaceId, subscriptionId: id }, body: { from } })
    await vi.waitFor(() => expect(numbersOf(receiver).toSorted()).toEqual([4, 4, 5, 5]), SOON)
  })

  test('keeps back what waits for an address that an editor has written since, and it is no failure', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    await using hers = await startReceiver()
    const { id } = await subscribed(service, workspaceId, receiver.url, { active: false })
    const params = { workspaceId, subscriptionId: id }
    const deliveryId = await keyDelivery(service, workspaceId, id)
    const eve = service.as({ userId: 'eve' })
    const ada = service.as({ userId: 'ada' })
    await eve(patchSubscription, { params, body: { url: hers.url, active: true } })
    const kept = await vi.waitFor(async () => {
      const found = await ada(getSubscriptionDelivery, { params: { ...params, deliveryId } })
      expect(found.status).toBe('dead')
      return found
    }, SOON)
    expect(kept).toMatchObject({ tries: 1, log: [{ outcome: 'blocked', request: '', response: null }] })
    expect(kept.lastError).toContain('for owners')
    await emitOrders(service, workspaceId, 1)
    await vi.waitFor(() => expect(hers.got.map(({ body }) => body.type)).toEqual(['order.placed']), SOON)
    expect(await eve(getSubscription, { params })).toMatchObject({ active: true, failingSince: null })
  })

  test('an address that says 410 after it was replaced pauses nothing', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    await using next = await startReceiver()
    const answers: (() => void)[] = []
    receiver.respond = (_, response) => answers.push(() => response.writeHead(410).end())
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId, subscriptionId: id }
    const ada = service.as({ userId: 'ada' })
    await emitOrders(service, workspaceId, 1)
    await vi.waitFor(() => expect(answers).toHaveLength(1), SOON)
    await ada(patchSubscription, { params, body: { url: next.url } })
    answers[0]?.()
    await vi.waitFor(
      async () =>
        expect(await ada(listSubscriptionDeliveries, { params })).toMatchObject([{ lastStatus: 410 }]),
      SOON,
    )
    await emitOrders(service, workspaceId, 2)
    await vi.waitFor(() => expect(numbersOf(next)).toEqual([2]), SOON)
    expect(await ada(getSubscription, { params })).toMatchObject({ active: true, pausedReason: null })
  })

  test('to a new address counts its failures anew', async ({ service, workspaceId, receiver }) => {
    receiver.respond = (_, response) => response.writeHead(503).end()
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId, subscriptionId: id }
    const ada = service.as({ userId: 'ada' })
    await emitOrders(service, workspaceId, 1)
    await vi.waitFor(
      async () => expect((await ada(getSubscription, { params })).failingSince).not.toBeNull(),
      SOON,
    )
    const same = await ada(patchSubscription, { params, body: { url: receiver.url, name: 'same' } })
    expect(same.failingSince).not.toBeNull()
    const changed = await ada(patchSubscription, { params, body: { url: `${receiver.url}-2` } })
    expect(changed.failingSince).toBeNull()
  })
})
