import {
  patchSubscription,
  pauseSubscription,
  replaySubscription,
  resumeSubscription,
} from '@platform/contracts'
import { sql } from '@platform/database'
import type { TestService } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  numbersOf,
  refusesOthers,
  SOON,
  startReceiver,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'

describe('replaying events', () => {
  test('delivers what happened before the subscription, in order, from an event or an instant on', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const ids = await fannedOut(service, workspaceId)
    const { id } = await subscribed(service, workspaceId, receiver.url, {
      events: ['order.placed'],
      ordered: true,
      active: false,
    })
    const params = { workspaceId, subscriptionId: id }
    const replayed = await ada(replaySubscription, { params, body: { from: ids[1] ?? '' } })
    expect(replayed.state).toBe('running')
    await ended(service, id)
    expect(receiver.got).toEqual([])
    await ada(resumeSubscription, { params })
    await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([2, 3]), SOON)

    await ada(replaySubscription, { params, body: { from: '2020-01-01T00:00:00Z' } })
    await vi.waitFor(() => expect(numbersOf(receiver).toSorted()).toEqual([1, 2, 2, 3, 3]), SOON)
    const sent = new Set(receiver.got.map(({ headers }) => headers['webhook-id']))
    expect(sent.size).toBe(3)
  })

  test('looks at what the subscription asks for only, and stops at an instant', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const { id } = await subscribed(service, workspaceId, receiver.url, {
      filter: { 'payload.number': [1, 2] },
    })
    const params = { workspaceId, subscriptionId: id }
    await ada(pauseSubscription, { params })
    await fannedOut(service, workspaceId)
    await ada(resumeSubscription, { params })
    await ada(replaySubscription, {
      params,
      body: { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' },
    })
    await ended(service, id)
    await ada(patchSubscription, { params, body: { filter: { 'payload.number': 2 } } })
    await ada(replaySubscription, { params, body: { from: '2020-01-01T00:00:00Z' } })
    await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([2]), SOON)
  })

  test('finds what was emitted right before it, and waits for the log that lacks it', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const { id } = await subscribed(service, workspaceId, receiver.url, { ordered: true })
    const params = { workspaceId, subscriptionId: id }
    await ada(pauseSubscription, { params })
    const older = await olderTransaction(service)
    const ids = await emitOrders(service, workspaceId, 1, 2, 3)
    expect(await logged(service, ids)).toBe(0)
    const replayed = ada(replaySubscription, { params, body: { from: ids[1] ?? '' } })
    await older[Symbol.asyncDispose]()
    await replayed
    expect(await logged(service, ids)).toBe(3)
    await ended(service, id)
    await ada(resumeSubscription, { params })
    await vi.waitFor(() => expect(numbersOf(receiver)).toEqual([2, 3]), SOON)
  })

  test('is 503 where the log lacks what it is to deliver for long, and goes on where it does not', async ({
    service,
    workspaceId,
    receiver,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const params = { workspaceId, subscriptionId: id }
    await using _older = await olderTransaction(service)
    await emitOrders(service, workspaceId, 1)
    const from = '2020-01-01T00:00:00Z'
    await expect(ada(replaySubscription, { params, body: { from } })).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('try again in some seconds'),
    })
    const before = { from, to: '2020-01-02T00:00:00Z' }
    expect((await ada(replaySubscription, { params, body: before })).state).toBe('running')
  })

  test('is refused while another one is under way', async ({ service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const input = { params: { workspaceId, subscriptionId: id }, body: { from: '2020-01-01T00:00:00Z' } }
    const replay = () => service.as({})(replaySubscription, input)
    const attempts = await Promise.allSettled([replay(), replay(), replay(), replay()])
    const refused = attempts.filter((one) => one.status === 'rejected')
    for (const { reason } of refused) expect(reason).toMatchObject({ name: 'ResourceLocked', status: 423 })
    expect(refused.length).toBeGreaterThan(0)
  })

  test.for([
    [{ from: 'yesterday' }, 400],
    [{}, 400],
    [{ from: '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33' }, 404],
  ] as const)('refuses %j with %s', async ([body, status], { service, workspaceId, receiver }) => {
    const { id } = await subscribed(service, workspaceId, receiver.url)
    const attempt = service.as({})(replaySubscription, {
      params: { workspaceId, subscriptionId: id },
      body: body as never,
    })
    await expect(attempt).rejects.toMatchObject({ status })
  })

  refusesOthers(replaySubscription, { from: '2020-01-01T00:00:00Z' })
})

/** A transaction that writes and takes its time, until it is disposed of: readers of the outbox wait for it. */
async function olderTransaction(service: TestService): Promise<AsyncDisposable> {
  const writes = Promise.withResolvers<void>()
  let isOver = false
  const over = service.database.transaction(async (tx) => {
    await tx.many(sql`select pg_current_xact_id()::text`)
    writes.resolve()
    while (!isOver) await tx.many(sql`select pg_sleep(0.05)`)
  })
  await writes.promise
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      await over
    },
  }
}

const logged = async (service: TestService, ids: readonly string[]): Promise<number> => {
  const rows = await service.database.many(
    sql`select from search.documents where id = any(${[...ids]}::uuid[])`,
  )
  return rows.length
}

const ended = (service: TestService, id: string) =>
  vi.waitFor(async () => {
    const rows = await service.database.many(
      sql`select from events.subscription_replays where subscription_id = ${id}`,
    )
    expect(rows).toEqual([])
  }, SOON)

/**
 * Emits orders 1 to 3 and waits until another subscription has got them, and the log: none of them is to be given to
 * subscriptions any more, and all are found.
 */
async function fannedOut(service: TestService, workspaceId: string): Promise<string[]> {
  await using witness = await startReceiver()
  await subscribed(service, workspaceId, witness.url)
  const ids = await emitOrders(service, workspaceId, 1, 2, 3)
  await vi.waitFor(() => expect(numbersOf(witness).toSorted()).toEqual([1, 2, 3]), SOON)
  await vi.waitFor(async () => expect(await logged(service, ids)).toBe(3), SOON)
  return ids
}
