import { searchEvents } from '@platform/contracts'
import { apiKeyStore, grantRules, rulesOf } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import type { TestService } from '@platform/testing'
import { describe, expect } from 'vitest'
import { seed } from '../../test/search-requests.ts'
import { test } from '../../test/service-fixture.ts'

const orders = Array.from({ length: 12 }, (_, n) => ({
  type: n % 3 === 0 ? 'order.paid' : 'order.placed',
  createdAt: `2026-05-${String(n + 1).padStart(2, '0')}T10:00:00.000Z`,
  source: { userId: `user-${n % 4}` },
  payload: { order: n, city: n < 6 ? 'Lyon' : 'Lille', ...(n === 7 ? { note: 'handle with care' } : {}) },
}))

type Body = NonNullable<Parameters<ReturnType<TestService['as']>>[1]>['body']
const ada = (service: TestService) => service.as({ userId: 'ada' })
const ask = (service: TestService, workspaceId: string, body: Record<string, unknown>, userId = 'ada') =>
  service.as({ userId })(searchEvents, { params: { workspaceId }, body: body as Body as never })
const numbers = (documents: Record<string, unknown>[]) =>
  documents.map(({ payload }) => (payload as { order: number }).order)

describe('searching events', () => {
  test.for([
    [{ query: { term: { type: 'order.paid' } } }, [9, 6, 3, 0]],
    [{ query: { terms: { 'payload.order': [1, 4, '5'] } } }, [5, 4, 1]],
    [{ query: { range: { createdAt: { gte: '2026-05-03', lte: '2026-05-04' } } } }, [3, 2]],
    [{ query: { range: { 'payload.order': { gt: 9 } } } }, [11, 10]],
    [{ query: { exists: { field: 'payload.note' } } }, [7]],
    [{ query: { match: { text: 'care hand' } } }, [7]],
    [{ query: { prefix: { 'payload.city': 'Ly' } }, limit: 2 }, [5, 4]],
    [{ query: { wildcard: { type: 'order.p*d' } }, limit: 1, page: 3 }, [8]],
    [
      {
        query: {
          bool: {
            filter: { term: { type: 'order.placed' } },
            must_not: { term: { 'payload.city': 'Lyon' } },
          },
        },
      },
      [11, 10, 8, 7],
    ],
    [
      {
        query: { bool: { should: [{ term: { 'payload.order': 1 } }, { match: { 'payload.order': 2 } }] } },
        sort: [{ createdAt: 'asc' }],
      },
      [1, 2],
    ],
    [{ sort: [{ 'source.userId': 'asc' }, { createdAt: { order: 'asc' } }], limit: 4 }, [0, 4, 8, 1]],
    [{ query: { match_none: {} } }, []],
  ] as [Record<string, unknown>, number[]][])(
    'by %j finds %j',
    async ([body, expected], { service, workspaceId }) => {
      await seed(service, workspaceId, orders)
      const { documents, size, aggs } = await ask(service, workspaceId, body)
      expect(numbers(documents)).toEqual(expected)
      expect(size).toBe(expected.length)
      expect(aggs).toEqual({})
    },
  )

  test('counts, sums up and groups what is found', async ({ service, workspaceId }) => {
    await seed(service, workspaceId, orders)
    const { documents, total, aggs } = await ask(service, workspaceId, {
      limit: 0,
      query: { range: { 'payload.order': { lt: 8 } } },
      track_total_hits: true,
      aggs: {
        types: { terms: { field: 'type' }, aggs: { total: { sum: { field: 'payload.order' } } } },
        weeks: { date_histogram: { field: '@timestamp', calendar_interval: 'week', min_doc_count: 1 } },
        users: { cardinality: { field: 'source.userId' } },
        most: { max: { field: 'payload.order' } },
        cities: {
          filters: {
            filters: {
              lyon: { term: { 'payload.city': 'Lyon' } },
              rome: { term: { 'payload.city': 'Rome' } },
            },
          },
        },
        pages: { composite: { size: 1, sources: [{ city: { terms: { field: 'payload.city' } } }] } },
      },
    })
    expect({ documents, total }).toEqual({ documents: [], total: 8 })
    expect(aggs).toEqual({
      types: {
        sum_other_doc_count: 0,
        buckets: [
          { key: 'order.placed', doc_count: 5, total: { value: 19 } },
          { key: 'order.paid', doc_count: 3, total: { value: 9 } },
        ],
      },
      weeks: {
        buckets: [
          { key: Date.parse('2026-04-27'), key_as_string: '2026-04-27T00:00:00.000Z', doc_count: 3 },
          { key: Date.parse('2026-05-04'), key_as_string: '2026-05-04T00:00:00.000Z', doc_count: 5 },
        ],
      },
      users: { value: 4 },
      most: { value: 7 },
      cities: { buckets: { lyon: { doc_count: 6 }, rome: { doc_count: 0 } } },
      pages: { after_key: { city: 'Lille' }, buckets: [{ key: { city: 'Lille' }, doc_count: 2 }] },
    })
  })

  test('answers only the fields that are asked for', async ({ service, workspaceId }) => {
    await seed(service, workspaceId, orders.slice(0, 1))
    const { documents } = await ask(service, workspaceId, { source: ['type', 'payload.order'] })
    expect(documents).toEqual([{ type: 'order.paid', payload: { order: 0 } }])
  })

  test('finds and counts nothing that the caller may not read, nor anything of another workspace', async ({
    service,
    workspaceId,
  }) => {
    await seed(service, workspaceId, [{ type: 'apikeys.created' }, { type: 'order.paid' }])
    const body = { track_total_hits: true, query: { match_all: {} } }
    expect((await ask(service, workspaceId, body)).total).toBe(2)
    const editors = await ask(service, workspaceId, body, 'eve')
    expect(editors.total).toBe(1)
    expect(editors.documents.map(({ type }) => type)).toEqual(['order.paid'])
  })

  test('aggregations are for owners, and for keys that were given the right', async ({
    service,
    workspaceId,
  }) => {
    await seed(service, workspaceId, [{ type: 'apikeys.created' }, { type: 'order.paid' }])
    const body = { limit: 0, aggs: { types: { terms: { field: 'type' } } } }
    await expect(ask(service, workspaceId, body, 'eve')).rejects.toMatchObject({
      name: 'ForbiddenError',
      status: 403,
    })
    const asked = [
      { action: 'read', subject: 'events' },
      { action: 'aggregate_search', subject: 'workspaces' },
    ] as const
    const keyed = async (count: number) => {
      const rules = grantRules(
        [...asked.slice(0, count)],
        workspaceId,
        rulesOf({ kind: 'internal' }, undefined),
      )
      const key = apiKeyRecord({ workspaceId, createdBy: 'ada', rules })
      await apiKeyStore(service.database).insert(key, key.id)
      const headers = service.headersOf({ kind: 'apiKey', apiKeyId: key.id })
      return service.nobody(searchEvents, { params: { workspaceId }, body, headers })
    }
    await expect(keyed(1)).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
    expect((await keyed(2)).aggs).toEqual({
      types: { sum_other_doc_count: 0, buckets: [{ key: 'order.paid', doc_count: 1 }] },
    })
  })

  test.for([
    [{ limit: 101 }, 'body.limit'],
    [{ limit: -1 }, 'body.limit'],
    [{ page: 101 }, 'page'],
    [{ scope: 'users' }, 'body.scope'],
    [{ index: 'events-b' }, 'body.index'],
    [{ query: 'text' }, 'body.query'],
    [{ query: { regexp: { type: '.*' } } }, 'query.regexp'],
    [{ aggs: { x: { scripted_metric: {} } } }, 'aggs.x.scripted_metric'],
    [{ runtime_mappings: { x: { type: 'long', script: 'emit(1)' } } }, 'runtime_mappings.x'],
    [{ sort: [{ 'payload.order': 'asc' }] }, 'sort.0.payload.order'],
  ] as [Record<string, unknown>, string][])('refuses %j', async ([body, path], { service, workspaceId }) => {
    await expect(ask(service, workspaceId, body)).rejects.toMatchObject({
      name: 'RequestValidationError',
      status: 400,
      details: [{ path }],
    })
  })

  test('refuses what meets too many different values with what to do instead', async ({
    service,
    workspaceId,
  }) => {
    const ids = Array.from({ length: 101 }, (_, i) => Array.from({ length: 100 }, (_, j) => i * 100 + j))
    await seed(
      service,
      workspaceId,
      ids.map((list) => ({ type: 'many', payload: { ids: list } })),
    )
    const body = { limit: 0, aggs: { all: { cardinality: { field: 'payload.ids' } } } }
    await expect(ask(service, workspaceId, body)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('too many different values'),
    })
  })

  test('needs a credential', async ({ service, workspaceId }) => {
    const attempt = service.nobody(searchEvents, { params: { workspaceId }, body: {} })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('needs the scope events:read', async ({ service, workspaceId }) => {
    const attempt = service.as({ userId: 'ada', scopes: [] })(searchEvents, {
      params: { workspaceId },
      body: {},
    })
    await expect(attempt).rejects.toMatchObject({ name: 'InsufficientScope', status: 403 })
  })

  test('a workspace of somebody else is as one that is missing', async ({ service, workspaceId }) => {
    for (const id of [workspaceId, 'aaaaaaaaaaaaaaaa'])
      await expect(ask(service, id, {}, 'mallory')).rejects.toMatchObject({
        name: 'ObjectNotFoundError',
        status: 404,
      })
    await expect(
      ada(service)(searchEvents, { params: { workspaceId: 'gone' }, body: {} }),
    ).rejects.toMatchObject({
      status: 404,
    })
  })
})
