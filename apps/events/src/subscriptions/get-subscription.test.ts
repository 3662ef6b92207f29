import { getSubscription } from '@platform/contracts'
import { describe, expect } from 'vitest'
import { newWorkspace, refusesOthers, subscribed, test } from '../../test/subscription-fixture.ts'

describe('one subscription', () => {
  test('is answered without its secret', async ({ service, workspaceId, receiver }) => {
    const { secret: _, ...made } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId, subscriptionId: made.id }
    expect(await service.as({ userId: 'eve' })(getSubscription, { params })).toEqual(made)
  })

  test.for(['x', '00000000-0000-0000-0000-00000000000g'])(
    'is 404 for the id %s',
    async (subscriptionId, { service, workspaceId }) => {
      const attempt = service.as({})(getSubscription, { params: { workspaceId, subscriptionId } })
      await expect(attempt).rejects.toMatchObject({ status: 404 })
    },
  )

  test('of another workspace does not exist', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId: await newWorkspace(service), subscriptionId: id }
    await expect(service.as({})(getSubscription, { params })).rejects.toMatchObject({ status: 404 })
  })

  refusesOthers(getSubscription)
})
