import { pauseSubscription, resumeSubscription } from '@platform/contracts'
import { sql } from '@platform/database'
import { describe, expect, vi } from 'vitest'
import { emitOrders, refusesOthers, SOON, subscribed, test } from '../../test/subscription-fixture.ts'

describe('resuming a subscription', () => {
  test('sends what waited when it was paused', async ({ service, workspaceId, receiver }) => {
    receiver.respond = (_, response) => response.writeHead(500).end()
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId, subscriptionId: id }
    await emitOrders(service, workspaceId, 1)
    await vi.waitFor(() => expect(receiver.got).toHaveLength(1), SOON)
    const ada = service.as({ userId: 'ada' })
    await ada(pauseSubscription, { params })
    receiver.respond = (_, response) => response.end()
    await service.database.many(
      sql`update events.deliveries set due_at = now() where subscription_id = ${id}`,
    )
    expect(await ada(resumeSubscription, { params })).toMatchObject({
      active: true,
      pausedReason: null,
      failingSince: null,
    })
    await vi.waitFor(() => expect(receiver.got).toHaveLength(2), SOON)
    expect(receiver.got[1]?.headers['webhook-id']).toBe(receiver.got[0]?.headers['webhook-id'])
  })

  refusesOthers(resumeSubscription)
})
