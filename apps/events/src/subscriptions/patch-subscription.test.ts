import { patchSubscription } from '@platform/contracts'
import { buildRecord } from '@platform/outbox'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  numbersOf,
  refusesOthers,
  SOON,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

describe('changing a subscription', () => {
  test('holds from the next event on', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url, { filter: { 'payload.number': 1 } })
    const changed = await service.as({ userId: 'eve' })(patchSubscription, {
      params: { workspaceId, subscriptionId: id },
      body: { filter: { 'payload.number': 2 }, name: 'Second' },
    })
    expect(changed).toMatchObject({ name: 'Second', updatedBy: 'eve', createdBy: 'ada', events: ['order.*'] })
    await emitOrders(service, workspaceId, 1, 2)
    await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([2]), SOON)
  })

  test('by somebody who may not read them takes away the events for owners', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const outbox = await service.resources.outbox('postgres:', service.env.DATABASE_URL ?? '')
    const { id } = await subscribed(service, workspaceId, receiver.url, { events: ['apikeys.*', 'order.*'] })
    const payload = {
      apiKey: 'iak_…',
      _id: 'k1',
      subjectType: 'workspaces',
      subjectId: workspaceId,
      rules: [],
    }
    const happened = () =>
      outbox.commit([buildRecord({ type: 'apikeys.created', payload, source: { workspaceId } })])
    await happened()
    await vi.waitFor(() => expect(receiver.got).toHaveLength(1), SOON)
    const params = { workspaceId, subscriptionId: id }
    await service.as({ userId: 'eve' })(patchSubscription, { params, body: { name: 'mine now' } })
    await happened()
    await emitOrders(service, workspaceId, 1)
    await vi.waitFor(
      () => expect(receiver.got.map(({ body }) => body.type)).toEqual(['apikeys.created', 'order.placed']),
      SOON,
    )
  })

  test('is refused when it has changed meanwhile', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const attempt = service.as({})(patchSubscription, {
      params: { workspaceId, subscriptionId: id },
      body: { name: 'x' },
      headers: { 'if-match': '"other"' },
    })
    await expect(attempt).rejects.toMatchObject({ name: 'PreconditionFailed', status: 412 })
  })

  test('refuses what is no address', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const attempt = service.as({})(patchSubscription, {
      params: { workspaceId, subscriptionId: id },
      body: { url: 'x' },
    })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  refusesOthers(patchSubscription, { name: 'x' })
})
