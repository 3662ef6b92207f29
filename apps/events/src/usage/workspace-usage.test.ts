import { listEvents, type QueryInputOf, workspaceUsage } from '@platform/contracts'
import { sql } from '@platform/database'
import type { TestService } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { type SeededEvent, seed } from '../../test/search-requests.ts'
import { test } from '../../test/service-fixture.ts'

const run = (kind: string, day: string, userId: string): SeededEvent => ({
  type: 'runtime.automations.executed',
  createdAt: `${day}T10:00:00.000Z`,
  source: { userId, sessionId: `session-of-${userId}` },
  payload: { slug: 'greet', trigger: { type: kind, value: 'greet' } },
})
const report = (day: string, instance: string, action: string, value: number): SeededEvent => ({
  type: 'usage',
  createdAt: `${day}T11:00:00.000Z`,
  source: { appSlug: 'crawler', appInstanceFullSlug: instance },
  payload: { metrics: { pages: { value, action } } },
})
const history = [
  run('endpoint', '2026-04-30', 'ada'),
  run('endpoint', '2026-05-01', 'ada'),
  run('event', '2026-05-01', 'bob'),
  run('automation', '2026-05-01', 'eve'),
  run('schedule', '2026-05-03', 'ada'),
  report('2026-05-01', 'one', 'increment', 5),
  report('2026-05-01', 'two', 'increment', 1),
  report('2026-05-03', 'one', 'set', 3),
  run('endpoint', '2026-06-01', 'ada'),
]
const may = { afterDate: '2026-05-01', beforeDate: '2026-06-01' }
const none = {
  transactions: 0,
  httpTransactions: 0,
  eventTransactions: 0,
  scheduleTransactions: 0,
  sessions: 0,
  users: 0,
}

type Query = QueryInputOf<typeof workspaceUsage>
const usageOf = (service: TestService, workspaceId: string, query: Query, userId = 'ada') =>
  service.as({ userId })(workspaceUsage, { params: { workspaceId }, query })

describe('the usage of a workspace', () => {
  test('is summed up over its days', async ({ service, workspaceId }) => {
    await seed(service, workspaceId, history)
    const expected = {
      workspaceId,
      afterDate: '2026-05-01T00:00:00.000Z',
      beforeDate: '2026-06-01T00:00:00.000Z',
      total: {
        transactions: 3,
        httpTransactions: 1,
        eventTransactions: 1,
        scheduleTransactions: 1,
        sessions: 2,
        users: 2,
      },
      apps: [{ slug: 'crawler', total: { custom: { pages: 4 } } }],
    }
    expect(await usageOf(service, workspaceId, may)).toEqual(expected)
    const appInstances = [
      { slug: 'one', total: { custom: { pages: 3 } } },
      { slug: 'two', total: { custom: { pages: 1 } } },
    ]
    expect((await usageOf(service, workspaceId, { ...may, details: 'true' })).apps).toEqual([
      { ...expected.apps[0], appInstances },
    ])
  })

  test('comes by day and by month', async ({ service, workspaceId }) => {
    await seed(service, workspaceId, history)
    const daily = await usageOf(service, workspaceId, { ...may, interval: 'day' })
    expect(daily).toMatchObject({ interval: 'day', total: { transactions: 3, users: 2 } })
    expect(daily.timeseries).toEqual([
      {
        date: '2026-05-01T00:00:00.000Z',
        total: { ...none, transactions: 2, httpTransactions: 1, eventTransactions: 1, sessions: 2, users: 2 },
        apps: [{ slug: 'crawler', total: { custom: { pages: 6 } } }],
      },
      {
        date: '2026-05-03T00:00:00.000Z',
        total: { ...none, transactions: 1, scheduleTransactions: 1, sessions: 1, users: 1 },
        apps: [{ slug: 'crawler', total: { custom: { pages: 3 } } }],
      },
    ])
    const months = { afterDate: '2026-04-30', beforeDate: '2026-06-01T00:00:01Z', interval: 'month' } as const
    const monthly = await usageOf(service, workspaceId, months)
    expect(
      monthly.timeseries?.map(({ date, total }) => [date.slice(0, 10), total.transactions, total.users]),
    ).toEqual([
      ['2026-04-01', 1, 1],
      ['2026-05-01', 3, 2],
      ['2026-06-01', 1, 1],
    ])
  })

  test('counts every event once, however many count', async ({ service, workspaceId }) => {
    for (let round = 0; round < 5; round += 1) {
      await seed(service, workspaceId, history)
      await Promise.all(Array.from({ length: 6 }, () => usageOf(service, workspaceId, may)))
    }
    const { total, apps } = await usageOf(service, workspaceId, may)
    expect(total).toMatchObject({ transactions: 15, httpTransactions: 5, sessions: 2 })
    expect(apps).toEqual([{ slug: 'crawler', total: { custom: { pages: 3 + 5 } } }])
  })

  test('adds up to what was set last and what was added since', async ({ service, workspaceId }) => {
    const set = report('2026-05-01', 'one', 'set', 3)
    const add = report('2026-05-01', 'one', 'increment', 1)
    await seed(service, workspaceId, [set, add, set, add])
    expect((await usageOf(service, workspaceId, may)).apps).toEqual([
      { slug: 'crawler', total: { custom: { pages: 4 } } },
    ])
  })

  test('counts more alike runs than are read at once, beside events of any shape', async ({
    service,
    workspaceId,
  }) => {
    const odd = [null, 'text', [], { trigger: 'endpoint', metrics: ['pages'] }].flatMap((payload) =>
      ['runtime.automations.executed', 'usage', 'order.placed'].map((type) => ({ type, payload })),
    )
    const runs = Array.from({ length: 600 }, () => run('endpoint', '2026-05-01', 'ada'))
    await seed(service, workspaceId, [...runs, ...odd, run('endpoint', '2026-05-02', 'ada'), ...runs])
    const { total, timeseries, apps } = await usageOf(service, workspaceId, { ...may, interval: 'day' })
    expect(total).toEqual({ ...none, transactions: 1201, httpTransactions: 1201, sessions: 1, users: 1 })
    expect(timeseries?.map(({ total: { transactions } }) => transactions)).toEqual([1200, 1])
    expect(apps).toEqual([])
  })

  test('is told as events of the workspace, which count for nothing themselves', async ({
    service,
    workspaceId,
  }) => {
    await seed(service, workspaceId, history)
    await usageOf(service, workspaceId, may)
    const read = service.as({ userId: 'ada' })
    const told = () =>
      read(listEvents, {
        params: { workspaceId },
        query: { types: 'usage', 'source.host.service': 'events' },
      })
    await vi.waitFor(async () => expect((await told()).result.events).toHaveLength(4), { timeout: 10_000 })
    const payloads = (await told()).result.events.map(({ payload }) => payload)
    const increment = (value: number) => ({ value, action: 'increment' })
    expect(payloads).toContainEqual({
      day: '2026-05-01',
      metrics: {
        transactions: increment(2),
        httpTransactions: increment(1),
        eventTransactions: increment(1),
      },
    })
    const { total, apps } = await usageOf(service, workspaceId, may)
    expect(total).toMatchObject({ transactions: 3 })
    expect(apps).toEqual([{ slug: 'crawler', total: { custom: { pages: 4 } } }])
    expect((await told()).result.events).toHaveLength(4)
  })

  test('of nothing is nothing', async ({ service, workspaceId }) => {
    const { total, apps, timeseries } = await usageOf(service, workspaceId, { ...may, interval: 'day' })
    expect({ total, apps, timeseries }).toEqual({ total: none, apps: [], timeseries: [] })
  })

  test('is told of many days fast', async ({ service, workspaceId }) => {
    await service.database.many(sql`
      insert into events.usage_visitors select ${workspaceId}, '2026-05-01'::date + n % 31, 'user', 'user-' || n
      from generate_series(1, 20000) as n`)
    const began = performance.now()
    expect((await usageOf(service, workspaceId, { ...may, interval: 'day' })).total.users).toBe(20_000)
    expect(performance.now() - began).toBePrompt(2000)
  })

  test.for([
    [{ beforeDate: '2026-05-01' }, 'query.afterDate'],
    [{ afterDate: '2026-05-01' }, 'query.beforeDate'],
    [{ ...may, interval: 'hour' }, 'query.interval'],
    [{ ...may, details: 'maybe' }, 'query.details'],
    [{ afterDate: '2026-05-01', beforeDate: '2026-05-01' }, 'query.beforeDate'],
    [{ afterDate: '2020-01-01', beforeDate: '2026-01-01' }, 'query.beforeDate'],
    [{ ...may, afterDate: 'soon' }, 'query.afterDate'],
  ])('refuses %j', async ([query, path], { service, workspaceId }) => {
    await expect(usageOf(service, workspaceId, query as Query)).rejects.toMatchObject({
      name: 'RequestValidationError',
      status: 400,
      details: [{ path }],
    })
  })

  test('is for owners', async ({ service, workspaceId }) => {
    await expect(usageOf(service, workspaceId, may, 'eve')).rejects.toMatchObject({
      name: 'ForbiddenError',
      status: 403,
    })
    await expect(usageOf(service, workspaceId, may, 'mallory')).rejects.toMatchObject({
      name: 'ObjectNotFoundError',
      status: 404,
    })
    await expect(usageOf(service, 'aaaaaaaaaaaaaaaa', may)).rejects.toMatchObject({
      name: 'ObjectNotFoundError',
      status: 404,
    })
    const params = { workspaceId }
    await expect(service.nobody(workspaceUsage, { params, query: may })).rejects.toMatchObject({
      status: 401,
    })
    const unscoped = service.as({ userId: 'ada', scopes: [] })
    await expect(unscoped(workspaceUsage, { params, query: may })).rejects.toMatchObject({
      name: 'InsufficientScope',
    })
  })
})
