import { emitEvents, getServiceReadiness, listEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { startTestService, type TestService, userPrincipal } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { test } from '../../test/service-fixture.ts'
import { events } from '../service.ts'

const placed = { type: 'order.placed', payload: { order: 1 } }

describe('emitting events', () => {
  test('answers ids and instants, and keeps the events in the feed of the workspace', async ({
    service,
    workspaceId,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const { result } = await ada(emitEvents, {
      params: { workspaceId },
      body: { events: [placed, { type: 'order.paid' }] },
    })
    expect(result).toMatchObject([{ type: 'order.placed' }, { type: 'order.paid' }])
    await vi.waitFor(async () => {
      const feed = await ada(listEvents, { params: { workspaceId } })
      expect(feed.result.events.map(({ id }) => id)).toEqual(result.map(({ id }) => id).reverse())
      expect(feed.result.events[1]).toMatchObject({
        payload: { order: 1 },
        source: {
          userId: 'ada',
          sessionId: 'session-of-ada',
          workspaceId,
          serviceTopic: 'topic:runtime:emit',
          ip: 'private',
        },
      })
    })
  })

  test('keeps the source the server knows, whatever the payload says', async ({ service, workspaceId }) => {
    const body = {
      events: [{ type: 'forged', payload: { source: { userId: 'root' }, sourceWorkspaceId: 'x' } }],
    }
    const eve = service.as({ userId: 'eve' })
    await eve(emitEvents, { params: { workspaceId }, body })
    await vi.waitFor(async () => {
      const { result } = await eve(listEvents, { params: { workspaceId }, query: { types: 'forged' } })
      expect(result.events[0]?.source.userId).toBe('eve')
    })
  })

  test('an event that is not to be kept is accepted but not in the feed', async ({
    service,
    workspaceId,
  }) => {
    const ada = service.as({ userId: 'ada' })
    const events = [
      { ...placed, type: 'live.only', options: { persist: false } },
      { ...placed, type: 'kept' },
    ]
    await ada(emitEvents, { params: { workspaceId }, body: { events } })
    await vi.waitFor(async () => {
      const { result } = await ada(listEvents, { params: { workspaceId } })
      expect(result.events.map(({ type }) => type)).toEqual(['kept'])
    })
  })

  test.for([
    ['no events', []],
    ['a type with a slash', [{ type: 'a/b' }]],
    ['a payload that is no object', [{ type: 'a', payload: 'text' }]],
    ['an unknown field', [{ type: 'a', source: {} }]],
    ['an option that is no boolean', [{ type: 'a', options: { persist: 'yes' } }]],
  ] as [string, object[]][])('refuses %s', async ([, events], { service, workspaceId }) => {
    const attempt = service.as({ userId: 'ada' })(emitEvents, {
      params: { workspaceId },
      body: { events: events as never },
    })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('refuses an event over the cap and with it the whole batch', async ({ service, workspaceId }) => {
    const ada = service.as({ userId: 'ada' })
    const events = [placed, { type: 'big', payload: { text: 'x'.repeat(100_000) } }]
    const attempt = ada(emitEvents, { params: { workspaceId }, body: { events } })
    await expect(attempt).rejects.toMatchObject({
      name: 'EventTooLarge',
      status: 413,
      details: { max: 100_000 },
    })
    expect((await ada(listEvents, { params: { workspaceId } })).result.events).toEqual([])
  })

  test.for(['gateway.jwks.updated', 'runtime.automations.executed', 'workspaces.deleted', 'error', 'usage'])(
    'refuses the native type %s',
    async (type, { service, workspaceId }) => {
      const attempt = service.as({ userId: 'ada' })(emitEvents, {
        params: { workspaceId },
        body: { events: [{ type }] },
      })
      await expect(attempt).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
    },
  )

  test('needs a credential', async ({ service, workspaceId }) => {
    const attempt = service.nobody(emitEvents, { params: { workspaceId }, body: { events: [placed] } })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('needs the scope events:write', async ({ service, workspaceId }) => {
    const reader = service.as({ userId: 'ada', scopes: ['events:read'] })
    const attempt = reader(emitEvents, { params: { workspaceId }, body: { events: [placed] } })
    await expect(attempt).rejects.toMatchObject({ name: 'InsufficientScope', status: 403 })
  })

  test('answers the same for a foreign workspace as for a missing one', async ({ service, workspaceId }) => {
    const outcomes = await Promise.all(
      [workspaceId, 'aaaaaaaaaaaaaaaa'].map((id) =>
        service
          .as({ userId: 'mallory' })(emitEvents, { params: { workspaceId: id }, body: { events: [placed] } })
          .catch((error: Error) => JSON.stringify(error).replaceAll(id, 'ID')),
      ),
    )
    expect(outcomes[0]).toContain('ObjectNotFoundError')
    expect(outcomes[0]).toBe(outcomes[1])
  })

  test('the service reports that it is ready, naming the drivers that run', async ({ service }) => {
    const report = await service.internal(getServiceReadiness)
    const drivers = Object.fromEntries(report.modulesReady.map(({ module, driver }) => [module, driver]))
    expect(drivers).toMatchObject({
      cache: 'memory',
      broker: 'postgres',
      permissions: 'postgres',
      search: 'postgres',
    })
  })
})

describe('a flood of events', () => {
  test('is refused with 429 beyond the limit of its workspace, and no other workspace feels it', async () => {
    const env = {
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_HTTP_EMITS: '100',
      RATE_LIMIT_HTTP_EMITS_BURST: '200',
    }
    await using service = await startTestService(events, { env })
    const flooded = await newWorkspace(service, 'ada')
    const quiet = await newWorkspace(service, 'bob')
    const emit = (workspaceId: string, userId: string, count: number) =>
      fetch(`${service.url}/v2/workspaces/${workspaceId}/events`, {
        method: 'POST',
        headers: { ...service.headersOf(userPrincipal({ userId })), 'content-type': 'application/json' },
        body: JSON.stringify({ events: Array.from({ length: count }, () => placed) }),
      })

    let isOver = false
    const honest: number[] = []
    const neighbour = (async () => {
      while (!isOver) honest.push((await emit(quiet, 'bob', 1)).status)
    })()
    const flood: Response[] = []
    for (let round = 0; round < 5; round += 1)
      flood.push(...(await Promise.all(Array.from({ length: 40 }, () => emit(flooded, 'ada', 10)))))
    // A stranger uses up nothing of a workspace.
    const stranger = await emit(quiet, 'ada', 50)
    isOver = true
    await neighbour

    expect(stranger.status).toBe(404)
    expect(honest.filter((status) => status !== 200)).toEqual([])
    expect(honest.length).toBeGreaterThan(3)
    const refused = flood.filter(({ status }) => status === 429)
    expect(flood.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(30)
    expect(refused.length).toBeGreaterThan(50)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect(refused[0]?.headers.get('ratelimit-policy')).toBe('"emit";q=100;w=1;burst=200')
    const [kept] = await service.database.many<{ events: number }>(
      sql`select count(*)::int as events from outbox.events where workspace_id = ${flooded}`,
    )
    expect(kept?.events).toBe(10 * (flood.length - refused.length))
  }, 60_000)
})

describe('the limit of one caller', () => {
  test('counts what they emit into all workspaces, and no other caller feels it', async () => {
    const env = {
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_HTTP_EMITS_BY_CALLER: '10',
      RATE_LIMIT_HTTP_EMITS_BY_CALLER_BURST: '20',
    }
    await using service = await startTestService(events, { env })
    const first = await newWorkspace(service, 'ada')
    const second = await newWorkspace(service, 'ada')
    const other = await newWorkspace(service, 'bob')
    const emit = (userId: string, workspaceId: string, count: number) =>
      service.as({ userId })(emitEvents, {
        params: { workspaceId },
        body: { events: Array.from({ length: count }, () => placed) },
      })
    await emit('ada', first, 8)
    await emit('ada', second, 8)
    for (const workspaceId of [first, second])
      await expect(emit('ada', workspaceId, 15)).rejects.toMatchObject({
        name: 'TooManyRequests',
        status: 429,
      })
    expect((await emit('bob', other, 15)).result).toHaveLength(15)
  })
})

async function newWorkspace(service: TestService, owner: string): Promise<string> {
  const id = newWorkspaceId()
  await service.database.many(
    sql`insert into permissions.workspaces (id, slug, name) values (${id}, ${id}, 'Test')`,
  )
  await service.database.many(
    sql`insert into permissions.members (workspace_id, user_id, role) values (${id}, ${owner}, 'owner')`,
  )
  return id
}
