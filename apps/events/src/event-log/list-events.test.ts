import { type EventRecord, emitEvents, listEvents } from '@platform/contracts'
import type { TestService } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { test } from '../../test/service-fixture.ts'

const orders = Array.from({ length: 6 }, (_, n) => ({
  type: n % 2 === 0 ? 'order.placed' : 'order.paid',
  payload: { order: { id: n, city: n < 3 ? 'Lyon' : 'Lille' }, ...(n === 5 ? {} : { note: `number ${n}` }) },
}))

/** Emits the orders as ada and waits until the feed has them, oldest first. */
async function emitted(service: TestService, workspaceId: string): Promise<EventRecord[]> {
  const ada = service.as({ userId: 'ada' })
  await ada(emitEvents, { params: { workspaceId }, body: { events: orders } })
  return vi.waitFor(async () => {
    const { result } = await ada(listEvents, { params: { workspaceId }, query: { sort: 'asc' } })
    expect(result.events).toHaveLength(orders.length)
    return result.events
  })
}

const numbers = (events: EventRecord[]) =>
  events.map(({ payload }) => (payload as { order: { id: number } }).order.id)

describe('listing events', () => {
  test('answers newest first, page by page', async ({ service, workspaceId }) => {
    await emitted(service, workspaceId)
    const page = async (number: string) =>
      numbers(
        (
          await service.as({ userId: 'eve' })(listEvents, {
            params: { workspaceId },
            query: { limit: '4', page: number },
          })
        ).result.events,
      )
    expect(await page('0')).toEqual([5, 4, 3, 2])
    expect(await page('1')).toEqual([1, 0])
  })

  test.for([
    [{ types: 'order.paid' }, [5, 3, 1]],
    [{ types: 'order.paid,order.placed', limit: '2' }, [5, 4]],
    [{ 'payload.order.city': 'Lyon' }, [2, 1, 0]],
    [{ 'payload.order.id': ['1', '4'] }, [4, 1]],
    [{ 'payload.order.city': 'Li*' }, [5, 4, 3]],
    [{ 'payload.note': '' }, [5]],
    [{ 'payload.note': 'number 2', types: 'order.placed' }, [2]],
    [{ 'source.userId': 'nobody' }, []],
    [{ text: 'Lyon' }, [2, 1, 0]],
    [{ afterDate: '2100-01-01' }, []],
    [{ beforeDate: '2100-01-01T00:00:00Z', sort: 'asc', limit: '1' }, [0]],
  ] as [Record<string, string | string[]>, number[]][])(
    'the filter %j finds %j',
    async ([query, expected], { service, workspaceId }) => {
      await emitted(service, workspaceId)
      const { result } = await service.as({ userId: 'ada' })(listEvents, {
        params: { workspaceId },
        query: query as never,
      })
      expect(numbers(result.events)).toEqual(expected)
    },
  )

  test('pages by cursor in the order of the server', async ({ service, workspaceId }) => {
    const events = await emitted(service, workspaceId)
    const ada = service.as({ userId: 'ada' })
    const before = await ada(listEvents, {
      params: { workspaceId },
      query: { beforeId: events[3]?.id ?? '', limit: '2' },
    })
    const after = await ada(listEvents, {
      params: { workspaceId },
      query: { afterId: events[3]?.id ?? '', sort: 'asc' },
    })
    expect(numbers(before.result.events)).toEqual([2, 1])
    expect(numbers(after.result.events)).toEqual([4, 5])
  })

  test('finds by correlation id', async ({ service, workspaceId }) => {
    const [first] = await emitted(service, workspaceId)
    const query = { correlationId: first?.source.correlationId ?? '' }
    const { result } = await service.as({ userId: 'ada' })(listEvents, { params: { workspaceId }, query })
    expect(result.events).toHaveLength(orders.length)
  })

  test('takes the slug of the workspace too', async ({ service, workspaceId }) => {
    const { result } = await service.as({ userId: 'ada' })(listEvents, {
      params: { workspaceId: `slug:${workspaceId}` },
    })
    expect(result.events).toEqual([])
  })

  test.for([
    { limit: '101' },
    { limit: '0' },
    { page: '-1' },
    { beforeId: 'x' },
    { afterDate: 'soon' },
    { "payload.a'b": 'x' },
    { whatever: 'x' },
  ])('refuses the query %j', async (query, { service, workspaceId }) => {
    const attempt = service.as({ userId: 'ada' })(listEvents, {
      params: { workspaceId },
      query: query as never,
    })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('needs a credential', async ({ service, workspaceId }) => {
    const attempt = service.nobody(listEvents, { params: { workspaceId } })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('needs the scope events:read', async ({ service, workspaceId }) => {
    const attempt = service.as({ userId: 'ada', scopes: [] })(listEvents, { params: { workspaceId } })
    await expect(attempt).rejects.toMatchObject({ name: 'InsufficientScope', status: 403 })
  })

  test('a workspace of somebody else is 404, also for anonymous users', async ({ service, workspaceId }) => {
    for (const caller of [
      service.as({ userId: 'mallory' }),
      service.as({ userId: 'ghost', anonymous: true }),
    ]) {
      await expect(caller(listEvents, { params: { workspaceId } })).rejects.toMatchObject({
        name: 'ObjectNotFoundError',
        status: 404,
      })
    }
  })

  test('a super administrator sees every workspace', async ({ service, workspaceId }) => {
    await emitted(service, workspaceId)
    const { result } = await service.as({ userId: 'root', superAdmin: true })(listEvents, {
      params: { workspaceId },
    })
    expect(result.events).toHaveLength(orders.length)
  })
})
