import { rotateSubscriptionSecret } from '@platform/contracts'
import { HOUR_MS } from '@platform/kernel'
import { startTestService } from '@platform/testing'
import { Webhook } from 'standardwebhooks'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  LOCAL,
  movedClock,
  newWorkspace,
  refusesOthers,
  SOON,
  startReceiver,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

describe('rotating the secret', () => {
  test('shows a new one once; for 24 hours both sign, then the new one alone', async () => {
    const clock = movedClock()
    await using service = await startTestService(events, { env: LOCAL, clock })
    await using receiver = await startReceiver()
    const workspaceId = await newWorkspace(service)
    const before = await subscribed(service, workspaceId, receiver.url)
    const after = await service.as({ userId: 'eve' })(rotateSubscriptionSecret, {
      params: { workspaceId, subscriptionId: before.id },
    })
    expect(after.secret).not.toBe(before.secret)

    // The library compares with the clock of the machine.
    const signed = async (count: number) => {
      await emitOrders(service, workspaceId, count)
      await vi.waitFor(() => expect(receiver.got).toHaveLength(count), SOON)
      const { text = '', headers } = receiver.got.at(-1) ?? {}
      const at = Number(headers?.['webhook-timestamp'])
      return (secret: string) =>
        String(headers?.['webhook-signature'])
          .split(' ')
          .includes(new Webhook(secret).sign(String(headers?.['webhook-id']), new Date(at * 1000), text))
    }
    const during = await signed(1)
    expect([during(before.secret), during(after.secret)]).toEqual([true, true])
    clock.advance(24 * HOUR_MS)
    const later = await signed(2)
    expect([later(before.secret), later(after.secret)]).toEqual([false, true])
  })

  refusesOthers(rotateSubscriptionSecret)
})
