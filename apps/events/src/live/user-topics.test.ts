import { emitEvents, eventServiceEvents, listEvents, searchEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { buildRecord } from '@platform/outbox'
import { permissionStore, userTopicStore } from '@platform/permissions'
import { startTestService, type TestService, userPrincipal } from '@platform/testing'
import { io } from 'socket.io-client'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { openStream } from '../../test/live-fixture.ts'
import { test } from '../../test/service-fixture.ts'
import { events } from '../service.ts'

const databaseUrlOf = ({ env }: TestService) => env.DATABASE_URL ?? ''
const SOON = { timeout: 5000, interval: 10 }

/** As the runtime does it: the members first, then what tells of them. */
async function join(service: TestService, workspaceId: string, topic: string, userId: string) {
  const store = userTopicStore(service.database)
  await store.createTopic(workspaceId, topic)
  await store.addMembers(workspaceId, topic, [userId])
  const { type } = eventServiceEvents.userTopicsJoined
  const record = buildRecord({ type, payload: { user: { id: userId }, topic }, source: { workspaceId } })
  const outbox = await service.resources.outbox('postgres:', databaseUrlOf(service))
  await outbox.commit([{ ...record, target: { userId } }])
}

const hint = (n: number, topic: string, persist = true) => ({
  type: 'hint',
  payload: { n },
  target: { userTopic: topic },
  ...(persist ? {} : { options: { persist: false } }),
})

const emit = (service: TestService, workspaceId: string, ...list: ReturnType<typeof hint>[]) =>
  service.as({ userId: 'ada' })(emitEvents, { params: { workspaceId }, body: { events: list } })

const numbersOf = (list: readonly unknown[]) =>
  list.flatMap((one) => {
    const { type, payload } = one as { type: string; payload: { n: number } }
    return type === 'hint' ? [payload.n] : []
  })

async function feedOf(service: TestService, workspaceId: string, userId: string) {
  const query = { sort: 'asc', types: 'hint' } as const
  const { result } = await service.as({ userId })(listEvents, { params: { workspaceId }, query })
  return numbersOf(result.events)
}

/** A socket of a user, and what it has got. */
function socketOf(service: TestService, workspaceId: string, userId: string) {
  const socket = io(`${service.url}/v2/workspaces/${workspaceId}/events`, {
    transports: ['websocket'],
    forceNew: true,
    extraHeaders: service.headersOf(userPrincipal({ userId })) as Record<string, string>,
  })
  onTestFinished(() => void socket.disconnect())
  const got: number[] = []
  socket.on('hint', ({ payload }: { payload: { n: number } }) => got.push(payload.n))
  return { socket, got }
}

test('members see what is for their topic in feed and searches, others and other workspaces do not', async ({
  service,
  workspaceId,
}) => {
  const store = userTopicStore(service.database)
  await store.createTopic(workspaceId, 'staff')
  expect(await store.addMembers(workspaceId, 'staff', ['eve', 'bob'])).toEqual(['bob', 'eve'])
  expect(await store.addMembers(workspaceId, 'staff', ['eve', 'ida'])).toEqual(['ida'])
  await emit(service, workspaceId, hint(1, 'staff'), hint(2, 'others'), hint(3, 'staff'))
  await vi.waitFor(async () => expect(await feedOf(service, workspaceId, 'ada')).toEqual([1, 2, 3]), SOON)
  expect(await feedOf(service, workspaceId, 'eve')).toEqual([1, 3])
  const found = await service.as({ userId: 'eve' })(searchEvents, {
    params: { workspaceId },
    body: { track_total_hits: true, limit: 10, query: { term: { type: 'hint' } } },
  })
  expect([found.total, numbersOf(found.documents).toSorted()]).toEqual([2, [1, 3]])

  const other = newWorkspaceId()
  await service.database.many(
    sql`
      with made as (
        insert into permissions.workspaces (id, slug, name) values (${other}, ${other}, 'Other') returning id)
      insert into permissions.members (workspace_id, user_id, role)
      select id, who, role from made, (values ('ada', 'owner'), ('eve', 'editor')) as given (who, role)`,
  )
  await emit(service, other, hint(4, 'staff'))
  await vi.waitFor(async () => expect(await feedOf(service, other, 'ada')).toEqual([4]), SOON)
  expect(await feedOf(service, other, 'eve')).toEqual([])
})

test('who joins sees live what comes from then on, on every instance, stored or not', async ({
  service,
  workspaceId,
}) => {
  await using second = await startTestService(events, { databaseUrl: databaseUrlOf(service) })
  const streams = await Promise.all(
    [service, second].map(({ url }) =>
      openStream(
        url,
        workspaceId,
        service.headersOf(userPrincipal({ userId: 'eve' })) as Record<string, string>,
      ),
    ),
  )
  onTestFinished(() => {
    for (const stream of streams) stream[Symbol.dispose]()
  })
  const sockets = [service, second].map((one) => socketOf(one, workspaceId, 'eve'))
  for (const { socket } of sockets) await vi.waitFor(() => expect(socket.connected).toBe(true), SOON)
  const seen = [
    ...streams.map(
      ({ messages }) =>
        () =>
          numbersOf(messages.map(({ data }) => data)),
    ),
    ...sockets.map(
      ({ got }) =>
        () =>
          got,
    ),
  ]
  // Each of them knows its topics once it has got something.
  await service.as({ userId: 'ada' })(emitEvents, {
    params: { workspaceId },
    body: { events: [{ type: 'hint', payload: { n: 0 } }] },
  })
  for (const numbers of seen) await vi.waitFor(() => expect(numbers()).toEqual([0]), SOON)
  const owners = [service, second].map((one) => socketOf(one, workspaceId, 'ada'))
  for (const { socket } of owners) await vi.waitFor(() => expect(socket.connected).toBe(true), SOON)
  await emit(service, workspaceId, hint(1, 'staff'), hint(2, 'staff', false))
  for (const { got } of owners) await vi.waitFor(() => expect(got.toSorted()).toEqual([1, 2]), SOON)
  await join(service, workspaceId, 'staff', 'eve')
  const joinedAt = performance.now()
  await emit(service, workspaceId, hint(3, 'staff'), hint(4, 'staff', false), hint(5, 'others'))
  for (const numbers of seen) await vi.waitFor(() => expect(numbers().toSorted()).toEqual([0, 3, 4]), SOON)
  expect(performance.now() - joinedAt).toBePrompt(1500)

  // Who comes later, and who goes on behind what was there, sees the same.
  const later = socketOf(second, workspaceId, 'eve')
  await vi.waitFor(() => expect(later.socket.connected).toBe(true), SOON)
  await emit(service, workspaceId, hint(6, 'staff'))
  await vi.waitFor(() => expect(later.got).toEqual([6]), SOON)
})

test('topics go with their workspace', async ({ service, workspaceId }) => {
  const store = userTopicStore(service.database)
  await store.createTopic(workspaceId, 'staff')
  await store.addMembers(workspaceId, 'staff', ['eve'])
  await permissionStore(service.database).removeWorkspaces([workspaceId])
  expect(await store.listTopics(workspaceId, 'eve')).toEqual([])
  expect(await store.countTopics(workspaceId)).toBe(0)
})

describe('a guest whom an automation has put into a topic', () => {
  const memberOf = async (service: TestService, workspaceId: string, userId: string) => {
    await join(service, workspaceId, 'visitors', userId)
    return { params: { workspaceId }, as: service.as({ userId }) }
  }

  test('reads what is for the topic or for them, and nothing else of the workspace', async ({
    service,
    workspaceId,
  }) => {
    const { params, as } = await memberOf(service, workspaceId, 'guest-1')
    const feed = () => as(listEvents, { params, query: { sort: 'asc', types: 'hint' } })
    await emit(service, workspaceId, hint(1, 'visitors'), hint(2, 'staff'))
    await service.as({ userId: 'ada' })(emitEvents, {
      params,
      body: {
        events: [
          { type: 'hint', payload: { n: 3 } },
          { type: 'hint', payload: { n: 4 }, target: { userId: 'guest-1' } },
          { type: 'hint', payload: { n: 5 }, target: { userId: 'guest-2' } },
        ],
      },
    })
    // What runs for the guest has done, as the runtime tells it.
    const outbox = await service.resources.outbox('postgres:', databaseUrlOf(service))
    const source = { workspaceId, userId: 'guest-1' }
    await outbox.commit([buildRecord({ type: 'hint', payload: { n: 6 }, source })])
    await vi.waitFor(async () => expect(await feedOf(service, workspaceId, 'ada')).toHaveLength(6), SOON)
    expect(numbersOf((await feed()).result.events)).toEqual([1, 4])
    const body = { limit: 10, query: { term: { type: 'hint' } } }
    expect(numbersOf((await as(searchEvents, { params, body })).documents).toSorted()).toEqual([1, 4])
  })

  test('gets it live over SSE and sockets', async ({ service, workspaceId }) => {
    await memberOf(service, workspaceId, 'guest-3')
    const headers = service.headersOf(userPrincipal({ userId: 'guest-3', anonymous: true }))
    using stream = await openStream(service.url, workspaceId, headers)
    const { socket, got } = socketOf(service, workspaceId, 'guest-3')
    await vi.waitFor(() => expect(socket.connected).toBe(true), SOON)
    await emit(service, workspaceId, hint(1, 'visitors'), hint(2, 'staff'), hint(3, 'visitors', false))
    await vi.waitFor(() => expect(got.toSorted()).toEqual([1, 3]), SOON)
    await vi.waitFor(
      () => expect(numbersOf(stream.messages.map(({ data }) => data)).toSorted()).toEqual([1, 3]),
      SOON,
    )
  })

  test('may not emit, nor aggregate; a stranger in no topic does not know the workspace', async ({
    service,
    workspaceId,
  }) => {
    const { params, as } = await memberOf(service, workspaceId, 'guest-4')
    const notFound = { name: 'ObjectNotFoundError' }
    const events = [{ type: 'hint', payload: {} }]
    await expect(as(emitEvents, { params, body: { events } })).rejects.toMatchObject(notFound)
    const body = { limit: 0, aggs: { types: { terms: { field: 'type' } } } }
    await expect(as(searchEvents, { params, body })).rejects.toMatchObject(notFound)
    const stranger = service.as({ userId: 'guest-5' })
    await expect(stranger(listEvents, { params, query: {} })).rejects.toMatchObject(notFound)
  })
})
