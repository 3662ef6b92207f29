import { listSubscriptionDeliveries } from '@platform/contracts'
import { openDatabase, sql } from '@platform/database'
import { DAY_MS, HOUR_MS, uuidv7 } from '@platform/kernel'
import { rounds, startTestService } from '@platform/testing'
import { describe, expect, it, vi } from 'vitest'
import {
  emitOrders,
  LOCAL,
  movedClock,
  newWorkspace,
  numbersOf,
  pass,
  SOON,
  startReceiver,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'
import { queueStore, tryStore } from './queue-store.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('the dispatcher', () => {
  test('lets an endpoint that hangs delay no other one', async ({ service, workspaceId, receiver }) => {
    let given = 0
    receiver.respond = (_, response) => void response.once('close', () => (given += 1))
    const good = await Promise.all(upTo(rounds(15, 50)).map(() => startReceiver()))
    await subscribed(service, workspaceId, receiver.url, { maxConcurrency: 20 })
    for (const { url } of good) await subscribed(service, workspaceId, url)
    await emitOrders(service, workspaceId, ...upTo(10))
    await vi.waitFor(() => expect(good.every(({ got }) => got.length === 10)).toBe(true), SOON)
    // All that while it was waited for the one that hangs.
    expect(given).toBe(0)
    expect(receiver.got.length).toBeLessThanOrEqual(20)
    await Promise.all(good.map((one) => one[Symbol.asyncDispose]()))
  })

  test('keeps to the requests at once of a subscription', async ({ service, workspaceId, receiver }) => {
    const seen = { now: 0, most: 0 }
    receiver.respond = (_, response) => {
      seen.now += 1
      seen.most = Math.max(seen.most, seen.now)
      setTimeout(() => {
        seen.now -= 1
        response.end()
      }, 20)
    }
    await subscribed(service, workspaceId, receiver.url, { maxConcurrency: 3 })
    await emitOrders(service, workspaceId, ...upTo(20))
    await vi.waitFor(() => expect(receiver.got).toHaveLength(20), SOON)
    expect(seen.most).toBe(3)
  })

  it('sends one after the other where that is asked for, and a failing one holds back nobody else', async () => {
    const clock = movedClock()
    await using service = await startTestService(events, { env: LOCAL, clock })
    await using receiver = await startReceiver()
    await using other = await startReceiver()
    const workspaceId = await newWorkspace(service)
    let isDown = true
    receiver.respond = ({ body }, response) =>
      response.writeHead(isDown && body.data.payload.number === 2 ? 500 : 200).end()
    await subscribed(service, workspaceId, receiver.url, { ordered: true })
    await subscribed(service, workspaceId, other.url, { ordered: true })
    await emitOrders(service, workspaceId, 0, 1, 2, 3, 4)
    await emitOrders(service, workspaceId, 5, 6)
    await vi.waitFor(() => expect(numbersOf(other)).toEqual(upTo(7)), SOON)
    await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([0, 1, 2]), SOON)
    isDown = false
    clock.advance(10_000)
    await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([0, 1, 2, 2, 3, 4, 5, 6]), SOON)
  })

  test('sends everything once with several instances', async ({ service, workspaceId, receiver }) => {
    const databaseUrl = service.env.DATABASE_URL ?? ''
    await using _second = await startTestService(events, { env: LOCAL, databaseUrl })
    await using _third = await startTestService(events, { env: LOCAL, databaseUrl })
    await using other = await startReceiver()
    const [one] = [
      await subscribed(service, workspaceId, receiver.url),
      await subscribed(service, workspaceId, other.url),
    ]
    for (const number of upTo(40)) await emitOrders(service, workspaceId, number)
    await vi.waitFor(async () => {
      const params = { workspaceId, subscriptionId: one.id }
      const query = { status: 'delivered', limit: '100' } as const
      expect(await service.as({})(listSubscriptionDeliveries, { params, query })).toHaveLength(40)
      expect(other.got).toHaveLength(40)
    }, SOON)
    expect(numbersOf(receiver).toSorted((a, b) => Number(a) - Number(b))).toEqual(upTo(40))
  })

  it.concurrent.each([
    [0, HOUR_MS],
    [-HOUR_MS, 0],
  ])('lets no two processes send whose clocks are %d and %d ms ahead', async (holderMs, otherMs) => {
    const holderClock = movedClock()
    const otherClock = movedClock()
    holderClock.advance(holderMs)
    otherClock.advance(otherMs)
    await using holder = await startTestService(events, { env: LOCAL, clock: holderClock })
    await using receiver = await startReceiver()
    const seen = { now: 0, most: 0 }
    const isStarted = Promise.withResolvers<void>()
    receiver.respond = async (_, response) => {
      seen.now += 1
      seen.most = Math.max(seen.most, seen.now)
      await isStarted.promise
      // Both look for work while the endpoint is being asked.
      await pass(holder, holderClock, 0)
      setTimeout(() => {
        seen.now -= 1
        response.end()
      }, 30)
    }
    const workspaceId = await newWorkspace(holder)
    await subscribed(holder, workspaceId, receiver.url, { ordered: true })
    await emitOrders(holder, workspaceId, ...upTo(20))
    await vi.waitFor(() => expect(receiver.got.length).toBeGreaterThan(0), SOON)
    const databaseUrl = holder.env.DATABASE_URL ?? ''
    await using _other = await startTestService(events, { env: LOCAL, databaseUrl, clock: otherClock })
    isStarted.resolve()
    await vi.waitFor(() => expect(receiver.got.length).toBeGreaterThanOrEqual(20), SOON)
    await vi.waitFor(() => expect(seen.now).toBe(0), SOON)
    expect([numbersOf(receiver), seen.most]).toEqual([upTo(20), 1])
  })

  it('keeps no news of a process that lost its queue', async () => {
    await using quiet = await startTestService(events, { env: LOCAL })
    const { id } = await subscribed(quiet, await newWorkspace(quiet), 'http://127.0.0.1:2/')
    const queues = queueStore(quiet.database)
    // Due in an hour: the process itself takes nothing.
    const now = new Date(Date.now() + 3_600_000)
    await quiet.database.many(sql`update events.subscription_queues set due_at = ${now}, token = 7`)
    const [first] = await queues.claim(now, 5)
    expect(first).toEqual({ subscriptionId: id, token: 8 })
    // However late it is elsewhere, the lease is not over.
    expect(await queues.claim(new Date(now.getTime() + DAY_MS), 5)).toEqual([])
    await quiet.database.many(sql`update events.subscription_queues set leased_until = now()`)
    const [second] = await queues.claim(now, 5)
    expect(second).toEqual({ subscriptionId: id, token: 9 })
    if (first === undefined) throw new Error('nothing was taken')
    const log = {
      id: uuidv7(),
      durationMs: 1,
      outcome: 'delivered',
      status: 200,
      error: null,
      request: '',
      response: '',
    } as const
    const ended = { status: 'delivered', dueAt: now, notBefore: null, log, isSent: true } as const
    const tried = { deliveryId: uuidv7(), tries: 0, at: now, ...ended }
    expect(await tryStore(quiet.database).record(first, tried)).toBeUndefined()
    expect(await queues.nextBatch(first, [], now)).toBeUndefined()
    expect(await queues.extend([first])).toEqual([])
    expect(await queues.release(first, 0)).toBe(false)
  })

  it.each(['release', 'giveBack'] as const)('takes no queue again that it let go with %s', async (letGo) => {
    await using quiet = await startTestService(events, { env: LOCAL })
    await subscribed(quiet, await newWorkspace(quiet), 'http://127.0.0.1:2/')
    const queues = queueStore(quiet.database)
    const now = new Date(Date.now() + HOUR_MS)
    await quiet.database.many(sql`update events.subscription_queues set due_at = ${now}`)
    const [leased] = await queues.claim(now, 1)
    if (leased === undefined) throw new Error('nothing was taken')
    const batch = await queues.nextBatch(leased, [], now)
    if (letGo === 'release') expect(await queues.release(leased, batch?.news ?? -1)).toBe(true)
    else await queues.giveBack([leased])
    // A heartbeat that was under way meanwhile.
    expect(await queues.extend([leased])).toEqual([])
    await vi.waitFor(async () => {
      await quiet.database.many(sql`update events.subscription_queues set due_at = ${now}`)
      expect(await queues.claim(now, 1)).toHaveLength(1)
    }, SOON)
    expect(await queues.nextBatch(leased, [], now)).toBeUndefined()
  })

  it('takes what a process held that is gone, and only by the token of its holder', async () => {
    await using quiet = await startTestService(events, { env: LOCAL })
    await using dying = await openDatabase(quiet.env.DATABASE_URL ?? '', { allowWeakDurability: true })
    await subscribed(quiet, await newWorkspace(quiet), 'http://127.0.0.1:2/')
    const gone = await vi.waitFor(() => dying.presence().id() ?? Promise.reject(new Error('not yet')), SOON)
    const now = new Date(Date.now() + HOUR_MS)
    await quiet.database.many(sql`update events.subscription_queues set due_at = ${now}`)
    const queues = queueStore(quiet.database)
    const [leased] = await queueStore(dying).claim(now, 1)
    expect(await queues.claim(now, 1)).toEqual([])
    expect(await queues.claim(now, 1, [gone + 1])).toEqual([])
    const [taken] = await queues.claim(now, 1, [gone])
    expect(taken?.token).toBe((leased?.token ?? 0) + 1)
    // As a process of an earlier version takes it: without a word of who it is.
    await quiet.database.many(sql`update events.subscription_queues set holder = ${gone}, token = token + 1`)
    expect(await queues.claim(now, 1, [gone])).toEqual([])
  })
})
