import { openDatabase, raw, sql } from '@platform/database'
import type { Platform } from '@platform/testing/platform'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call } from './support/caller.ts'
import { separateShape, servers } from './support/shapes.ts'

/** The row of each service on PostgreSQL, Redis and NATS, in this order. */
const modules = {
  'api-gateway': [
    ['database', 'postgres'],
    ['sessionsRedis', 'redis'],
    ['rateLimitsRedis', 'redis'],
    ['broker', 'nats'],
    ['jwks', 'http'],
    ['runtime', 'service'],
    ['events', 'service'],
    ['workspaces', 'service'],
  ],
  runtime: [
    ['cache', 'redis'],
    ['broker', 'nats'],
    ['permissions', 'postgres'],
    ['collections', 'postgres'],
    ['automations', 'postgres'],
    ['gateway', 'http'],
  ],
  events: [
    ['cache', 'redis'],
    ['broker', 'nats'],
    ['permissions', 'postgres'],
    ['search', 'postgres'],
    ['gateway', 'http'],
  ],
  workspaces: [
    ['broker', 'nats'],
    ['permissions', 'postgres'],
    ['automations', 'postgres'],
    ['gateway', 'http'],
  ],
} as const
const behind = ['runtime', 'events', 'workspaces'] as const
const reportOf = (service: keyof typeof modules) => ({
  status: 'ready',
  modulesReady: modules[service].map(([module, driver]) => ({ module, driver })),
})

describe.runIf(separateShape !== undefined)('GET /v2/readiness of separate processes', () => {
  let platform: Platform
  let token = ''
  beforeAll(async () => {
    platform = (await separateShape?.start({}, { counts: { gateway: 1, runtime: 1 } })) as Platform
    token = (await administrator(platform)).token
  })
  afterAll(() => platform?.[Symbol.asyncDispose]())

  const ask = (query = '', headers: Record<string, string> = { authorization: `Bearer ${token}` }) =>
    call(platform.origin, 'GET', `/v2/readiness${query}`, { headers })
  const urlOf = (service: (typeof behind)[number]) =>
    platform.env[`${service.toUpperCase()}_API_URL`]?.split(',')[0] ?? ''

  test('names every module of every service with the driver that runs, and the address of each service', async () => {
    const { status, json } = await ask()
    expect(json).toEqual({
      status: 'ready',
      services: {
        'api-gateway': reportOf('api-gateway'),
        ...Object.fromEntries(
          behind.map((name) => [name, { status: 'ready', url: urlOf(name), response: reportOf(name) }]),
        ),
      },
    })
    expect(status).toBe(200)
  })

  test('answers the services that are asked for, and refuses a name that is none', async () => {
    const some = await ask('?services=workspaces,%20runtime')
    expect(some.status).toBe(200)
    expect(Object.keys(some.json.services)).toEqual(['runtime', 'workspaces'])
    for (const query of [
      '?services=runtime,console',
      '?services=',
      '?services=RUNTIME',
      '?service=runtime',
    ]) {
      const { status, json } = await ask(query)
      expect({ query, status, error: json.error }).toEqual({
        query,
        status: 400,
        error: 'RequestValidationError',
      })
    }
  })

  test('is for super administrators and the internal key', async () => {
    const visitor = await call(platform.origin, 'POST', '/v2/login/anonymous')
    expect((await ask('', {})).status).toBe(401)
    expect((await ask('', { 'x-platform-api-key': 'wrong' })).status).toBe(401)
    expect((await ask('', { authorization: `Bearer ${visitor.json.token}` })).status).toBe(403)
    expect((await ask('', { 'x-platform-api-key': platform.internalApiKey })).status).toBe(200)
  })

  test('leaves nothing of a probe that is killed in the middle', async () => {
    await using database = await openDatabase(platform.env.DATABASE_URL ?? '', { poolSize: 2 })
    // Between its two statements a probe waits for as long as this takes.
    await database.many(
      raw(`create function public.linger() returns trigger language plpgsql as
        $$ begin perform pg_sleep(3); return old; end $$`),
    )
    await database.many(
      raw(`create trigger linger before delete on search.documents for each row
        when (old.stream like 'readiness-probe-%') execute function public.linger()`),
    )
    const sleeping = () =>
      database.many(sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'`)
    const left = () =>
      database.many(sql`select 1 from search.documents where stream like 'readiness-probe-%'`)

    for (let round = 0; round < 3; round += 1) {
      await platform.process('events').stop('SIGKILL')
      await platform.restart('events')
      const probing = call(urlOf('events'), 'GET', '/sys/readiness', {
        headers: { 'x-platform-api-key': platform.internalApiKey },
      }).catch(() => undefined)
      await vi.waitFor(async () => expect(await sleeping()).toHaveLength(1), 10_000)
      await platform.process('events').stop('SIGKILL')
      await probing
      expect(await left()).toEqual([])
    }
    await vi.waitFor(async () => expect(await sleeping()).toEqual([]), 10_000)
    expect(await left()).toEqual([])

    const cache = await createClient({ url: servers?.cacheUrl ?? '' }).connect()
    await using _ = { [Symbol.asyncDispose]: () => cache.close() }
    const keys = () => cache.keys('*readiness-probe-*')
    expect((await keys()).length).toBeLessThanOrEqual(1)
    await vi.waitFor(async () => expect(await keys()).toEqual([]), 15_000)
    await platform.restart('events')
  })

  test('is kept for 30 s; then a service that is gone is 400, with its address and what is wrong', async () => {
    await vi.waitFor(async () => expect((await ask()).status).toBe(200), { timeout: 40_000, interval: 500 })
    await platform.process('events').stop('SIGKILL')
    expect((await ask()).status).toBe(200)

    // Each report is kept for a while: one may tell of events as gone while its gateway has not noticed yet.
    const told = async () => {
      const { status, json } = await ask()
      expect([status, json.status]).toEqual([400, 'error'])
      expect(json.services.events).toEqual({
        status: 'error',
        url: urlOf('events'),
        errors: [
          { error: 'ServiceUnavailable', module: 'events', driver: 'service', message: expect.any(String) },
        ],
      })
      expect(json.services['api-gateway'].modulesReady).toHaveLength(7)
      expect(json.services['api-gateway'].errors).toMatchObject([
        { error: 'ServiceUnavailable', module: 'events', driver: 'service' },
      ])
      expect(json.services.runtime.status).toBe('ready')
    }
    await vi.waitFor(told, { timeout: 100_000, interval: 500 })
    await vi.waitFor(async () => expect((await ask('?services=api-gateway')).status).toBe(400), 35_000)
    expect((await ask('?services=runtime,workspaces')).status).toBe(200)
  })
})
