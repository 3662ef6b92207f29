import {
  getSubscription,
  listEvents,
  listSubscriptionDeliveries,
  redeliverSubscriptionDelivery,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@platform/kernel'
import { startTestService, type TestService } from '@platform/testing'
import { test as base, describe, expect, vi } from 'vitest'
import {
  emitOrders,
  LOCAL,
  movedClock,
  newWorkspace,
  pass,
  type Receiver,
  SOON,
  startReceiver,
  subscribed,
} from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

interface Rig {
  service: TestService
  clock: ReturnType<typeof movedClock>
  receiver: Receiver
  workspaceId: string
}

/** A service whose time is moved, and a receiver that is down. */
const test = base.extend<{ rig: Rig }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures a fixture needs from this pattern.
  rig: async ({}, use) => {
    const clock = movedClock()
    await using service = await startTestService(events, { env: LOCAL, clock })
    await using receiver = await startReceiver((_, response) => response.writeHead(503).end('down'))
    await use({ service, clock, receiver, workspaceId: await newWorkspace(service) })
  },
})

const list = ({ service, workspaceId }: Rig, subscriptionId: string) =>
  service.as({ userId: 'ada' })(listSubscriptionDeliveries, { params: { workspaceId, subscriptionId } })

/** Waits until the one delivery has been tried so often. */
const tried = (rig: Rig, id: string, tries: number) =>
  vi.waitFor(async () => {
    const [one] = await list(rig, id)
    expect(one?.tries).toBeGreaterThanOrEqual(tries)
    return one
  }, SOON)

/** Moves the clock step by step, each time until what was due has been tried. */
async function passes(rig: Rig, id: string, ms: number): Promise<void> {
  const end = rig.clock.now().getTime() + ms
  for (;;) {
    const [one] = await list(rig, id)
    const nextMs = one?.nextTryAt == null ? end : Date.parse(one.nextTryAt)
    if (one === undefined || one.status !== 'pending' || nextMs >= end) break
    await pass(rig.service, rig.clock, Math.max(0, nextMs - rig.clock.now().getTime()))
    await tried(rig, id, one.tries + 1)
  }
  await pass(rig.service, rig.clock, Math.max(0, end - rig.clock.now().getTime()))
}

describe('an endpoint', () => {
  test('that is down for an hour gets its events when it is back, with the same webhook-id', async ({
    rig,
  }) => {
    const { service, receiver, workspaceId, clock } = rig
    const { id } = await subscribed(service, workspaceId, receiver.url)
    await emitOrders(service, workspaceId, 1)
    await tried(rig, id, 1)
    await passes(rig, id, HOUR_MS)
    const tries = receiver.got.length
    expect(tries).toBeGreaterThanOrEqual(6)
    receiver.respond = (_, response) => response.end()
    await pass(service, clock, 2 * HOUR_MS)
    await vi.waitFor(
      async () => expect(await list(rig, id)).toMatchObject([{ status: 'delivered', lastStatus: 200 }]),
      SOON,
    )
    expect(receiver.got).toHaveLength(tries + 1)
    expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    const params = { workspaceId, subscriptionId: id }
    expect(await service.as({})(getSubscription, { params })).toMatchObject({
      active: true,
      failingSince: null,
    })
  })

  test('that is down for a day finds its events in the dead-letter list, from where they are redelivered', async ({
    rig,
  }) => {
    const { service, receiver, workspaceId } = rig
    const { id } = await subscribed(service, workspaceId, receiver.url)
    await emitOrders(service, workspaceId, 1)
    await tried(rig, id, 1)
    await passes(rig, id, DAY_MS + MINUTE_MS)
    const [dead] = await vi.waitFor(async () => {
      const found = await list(rig, id)
      expect(found).toMatchObject([
        { status: 'dead', lastError: 'The endpoint answered 503.', nextTryAt: null },
      ])
      return found
    }, SOON)
    receiver.respond = (_, response) => response.end()
    const params = { workspaceId, subscriptionId: id, deliveryId: dead?.id ?? '' }
    await service.as({})(redeliverSubscriptionDelivery, { params })
    await vi.waitFor(
      async () => expect(await list(rig, id)).toMatchObject([{ status: 'delivered', tries: 1 }]),
      SOON,
    )
  })

  test('is left alone for as long as it asks', async ({ rig }) => {
    const { service, receiver, workspaceId } = rig
    receiver.respond = (_, response) => response.writeHead(429, { 'retry-after': '7200' }).end()
    const { id } = await subscribed(service, workspaceId, receiver.url)
    await emitOrders(service, workspaceId, 1)
    const one = await tried(rig, id, 1)
    const waitMs = Date.parse(one?.nextTryAt ?? '') - rig.clock.now().getTime()
    expect(waitMs).toBeGreaterThan(7_190_000)
    expect(waitMs).toBeLessThanOrEqual(7_200_000)
  })

  test('that is gone is paused at once, and its workspace is told', async ({ rig }) => {
    const { service, receiver, workspaceId } = rig
    receiver.respond = (_, response) => response.writeHead(410).end()
    const { id } = await subscribed(service, workspaceId, receiver.url, { name: 'Orders' })
    await emitOrders(service, workspaceId, 1)
    await paused(rig, id, 'gone')
    expect(await list(rig, id)).toMatchObject([{ status: 'pending', lastStatus: 410 }])
  })

  test('that takes nothing for five days is paused, and its workspace is told', async ({ rig }) => {
    const { service, receiver, workspaceId, clock } = rig
    const { id } = await subscribed(service, workspaceId, receiver.url)
    await emitOrders(service, workspaceId, 1)
    await tried(rig, id, 1)
    await pass(service, clock, 5 * DAY_MS - HOUR_MS)
    await vi.waitFor(async () => expect(await list(rig, id)).toMatchObject([{ status: 'dead' }]), SOON)
    const params = { workspaceId, subscriptionId: id }
    expect(await service.as({})(getSubscription, { params })).toMatchObject({ active: true })
    await pass(service, clock, 2 * HOUR_MS)
    await service.database.many(
      sql`update events.subscriptions set active_since = now() - interval '1 hour' where id = ${id}`,
    )
    await emitOrders(service, workspaceId, 2)
    await paused(rig, id, 'failing')
  })
})

async function paused({ service, workspaceId }: Rig, subscriptionId: string, reason: string): Promise<void> {
  const ada = service.as({ userId: 'ada' })
  await vi.waitFor(async () => {
    const found = await ada(getSubscription, { params: { workspaceId, subscriptionId } })
    expect(found).toMatchObject({ active: false, pausedReason: reason })
    const { result } = await ada(listEvents, {
      params: { workspaceId },
      query: { types: 'workspaces.subscriptions.paused' },
    })
    expect(result.events).toMatchObject([{ payload: { subscriptionId, reason, createdBy: 'ada' } }])
  }, SOON)
}
