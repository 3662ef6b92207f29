import { replaySubscription } from '@platform/contracts'
import { sql } from '@platform/database'
import { startTestService } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import {
  emitOrders,
  LOCAL,
  newWorkspace,
  numbersOf,
  SOON,
  startReceiver,
  subscribed,
  test,
} from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

describe('a replay whose search takes long', () => {
  test('holds up nobody: not the webhooks of others, and no reader of the outbox', async () => {
    await using stack = new AsyncDisposableStack()
    const service = stack.use(await startTestService(events, { env: LOCAL }))
    const slow = await newWorkspace(service)
    const other = await newWorkspace(service)
    const slowReceiver = stack.use(await startReceiver())
    const otherReceiver = stack.use(await startReceiver())
    const { id } = await subscribed(service, slow, slowReceiver.url)
    await subscribed(service, other, otherReceiver.url)
    await emitOrders(service, slow, 1)
    await vi.waitFor(() => expect(numbersOf(slowReceiver)).toEqual([1]), SOON)

    const log = await service.resources.log(service.env.DATABASE_URL ?? '')
    const find = log.find
    const searching = Promise.withResolvers<void>()
    const letGo = Promise.withResolvers<void>()
    log.find = async (...asked) => {
      searching.resolve()
      await letGo.promise
      return find(...asked)
    }
    const params = { workspaceId: slow, subscriptionId: id }
    await service.as({})(replaySubscription, { params, body: { from: '2020-01-01T00:00:00Z' } })
    await searching.promise
    const writing = await service.database.many(sql`
      select query from pg_stat_activity
      where datname = current_database() and backend_xid is not null and state = 'idle in transaction'`)
    expect(writing).toEqual([])
    await emitOrders(service, other, 7)
    await vi.waitFor(() => expect(numbersOf(otherReceiver)).toEqual([7]), { timeout: 5000 })

    letGo.resolve()
    await vi.waitFor(() => expect(numbersOf(slowReceiver)).toEqual([1, 1]), SOON)
  })

  test('is done once where two instances work on it', async () => {
    await using stack = new AsyncDisposableStack()
    const first = stack.use(await startTestService(events, { env: LOCAL }))
    const { DATABASE_URL: databaseUrl = '' } = first.env
    stack.use(await startTestService(events, { env: LOCAL, databaseUrl }))
    const receiver = stack.use(await startReceiver())
    const workspaceId = await newWorkspace(first)
    const numbers = Array.from({ length: 250 }, (_, n) => n)
    const { id } = await subscribed(first, workspaceId, receiver.url, { maxConcurrency: 20 })
    await emitOrders(first, workspaceId, ...numbers)
    const sorted = () => numbersOf(receiver).toSorted((a, b) => Number(a) - Number(b))
    await vi.waitFor(() => expect(sorted()).toEqual(numbers), SOON)

    const params = { workspaceId, subscriptionId: id }
    await first.as({})(replaySubscription, { params, body: { from: '2020-01-01T00:00:00Z' } })
    await vi.waitFor(() => expect(sorted()).toEqual(numbers.flatMap((n) => [n, n])), SOON)
  })
})
