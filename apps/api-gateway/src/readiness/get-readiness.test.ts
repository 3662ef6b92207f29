import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAnonymousSession, servicesBehindGateway, usualServices } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../test/start-gateway.ts'

let services: Upstream
let gateway: TestGateway
let behaviour: 'ready' | 'broken' | 'silent' | 'strange' = 'ready'
beforeAll(async () => {
  services = await startUpstream((_, response) => {
    if (behaviour === 'silent') return
    response.setHeader('content-type', 'application/json')
    if (behaviour === 'strange') return void response.end('{"status":"ok"}')
    const modulesReady = [{ module: 'broker', driver: 'postgres' }]
    const errors = [
      { error: 'DatabaseError', module: 'permissions', driver: 'postgres', message: 'No answer.' },
    ]
    const report =
      behaviour === 'ready' ? { status: 'ready', modulesReady } : { status: 'error', modulesReady, errors }
    response.end(JSON.stringify(report))
  })
  gateway = await startGateway({ services: services.url, env: { READINESS_CACHE_TTL_MS: '0' } })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await services[Symbol.asyncDispose]()
})

interface Report {
  status: string
  services: Record<
    string,
    { status: string; modulesReady?: unknown[]; url?: string; response?: unknown; errors?: unknown[] }
  >
}

async function ask(query = '', headers: Record<string, string> = gateway.internalHeaders, at = gateway) {
  const startedAt = performance.now()
  const response = await fetch(`${at.url}/v2/readiness${query}`, { headers })
  const report = (await response.json()) as Report & { error?: string }
  return { status: response.status, report, ms: performance.now() - startedAt }
}

describe('who may read the readiness report', () => {
  test('a super administrator with a JWT, and an operator with the internal key', async () => {
    behaviour = 'ready'
    const root = await gateway.signIn({ superAdmin: true })
    for (const headers of [root.headers, gateway.internalHeaders]) {
      expect((await ask('?services=events', headers)).status).toBe(200)
    }
  })

  test('nobody else: 401 without a valid credential, 403 with one', async () => {
    const ada = await gateway.signIn()
    const visitor = await gateway.client()(createAnonymousSession)
    expect((await ask('', {})).status).toBe(401)
    expect((await ask('', { authorization: 'Bearer nonsense' })).status).toBe(401)
    expect((await ask('', { 'x-platform-api-key': 'nearly the internal key' })).status).toBe(401)
    expect((await ask('', ada.headers)).status).toBe(403)
    expect((await ask('', { authorization: `Bearer ${visitor.token}` })).status).toBe(403)
  })
})

describe('the readiness report', () => {
  test('has an entry for each service, of the shape of the contract', async () => {
    behaviour = 'ready'
    const { report } = await ask()
    expect(Object.keys(report.services)).toEqual(['api-gateway', 'runtime', 'events', 'workspaces'])
    expect(report.services['api-gateway']?.modulesReady).toEqual(
      expect.arrayContaining([
        { module: 'database', driver: 'postgres' },
        { module: 'sessionsRedis', driver: 'memory' },
        { module: 'rateLimitsRedis', driver: 'memory' },
        { module: 'broker', driver: 'postgres' },
        ...servicesBehindGateway.map((module) => ({ module, driver: 'service' })),
      ]),
    )
    expect(report.services['api-gateway']).not.toHaveProperty('url')
    expect(report.services.events).toEqual({
      status: 'ready',
      url: services.url,
      response: { status: 'ready', modulesReady: [{ module: 'broker', driver: 'postgres' }] },
    })
  })

  test('is 400 with the failing modules when one service is not ready', async () => {
    behaviour = 'broken'
    const { status, report } = await ask('?services=workspaces,runtime')
    expect([status, report.status, Object.keys(report.services)]).toEqual([
      400,
      'error',
      ['runtime', 'workspaces'],
    ])
    expect(report.services.workspaces?.errors).toEqual([
      { error: 'DatabaseError', module: 'permissions', driver: 'postgres', message: 'No answer.' },
    ])
  })

  test('says of a service that answers something else that it does, and goes on with the others', async () => {
    behaviour = 'strange'
    const { status, report } = await ask()
    expect(status).toBe(400)
    expect(report.services['api-gateway']?.modulesReady?.length).toBeGreaterThan(0)
    expect(report.services.events).toEqual({
      status: 'error',
      url: services.url,
      errors: [
        {
          ...{ error: 'ServiceUnavailable', module: 'events', driver: 'service' },
          message: 'What answers there gives no readiness report.',
        },
      ],
    })
  })

  test('is there within three seconds when a service does not answer, and when it is down', async () => {
    behaviour = 'silent'
    const silent = await ask()
    expect([silent.status, silent.ms < 3000]).toEqual([400, true])
    expect(silent.report.services.events?.errors).toEqual([
      expect.objectContaining({
        ...{ module: 'events', driver: 'service', message: 'No answer within 2500 ms.' },
      }),
    ])
    behaviour = 'ready'
    await using alone = await startGateway({ databaseUrl: gateway.databaseUrl })
    const down = await ask('', gateway.internalHeaders, alone)
    expect([down.status, down.ms < 3000]).toEqual([400, true])
    expect(JSON.stringify(down.report)).not.toMatch(/platform:|password|at .*\.ts/)
  })

  test.each([
    '?services=searchengine2',
    '?services=',
    '?services=events,',
    '?services=*',
    '?services=__proto__',
    '?other=1',
  ])('refuses the query %s', async (query) => {
    const { status, report } = await ask(query)
    expect([status, report.error]).toEqual([400, 'RequestValidationError'])
  })

  test('costs one round of probes a service for the whole cache period, however many ask, and for whom', async () => {
    behaviour = 'ready'
    await using cached = await startGateway({ databaseUrl: gateway.databaseUrl, services: services.url })
    const before = services.seen.length
    const name = (at: number) => usualServices[at % usualServices.length]
    const permutation = (at: number) =>
      at % 5 === 0 ? '' : `?services=${name(at)},${name(at + 1)},${name(at * 7 + 2)}`
    const calls = Array.from({ length: 500 }, (_, at) =>
      ask(permutation(at), gateway.internalHeaders, cached),
    )
    await Promise.all(calls)
    await fetch(`${cached.url}/sys/readiness`, { headers: gateway.internalHeaders })
    const asked = services.seen.slice(before).map(({ url }) => url)
    const once = (path: string) => servicesBehindGateway.map(() => path)
    expect(asked.toSorted()).toEqual([...once('/sys/livez'), ...once('/sys/readiness')])
  })

  test('names that are none cost no round and are not kept', async () => {
    const before = services.seen.length
    for (let at = 0; at < 100; at += 1) {
      const { status } = await ask(`?services=events,junk-${at}`)
      expect(status).toBe(400)
    }
    expect(services.seen.length).toBe(before)
  })

  test('has the search engine and the crawler where their addresses are configured', async () => {
    behaviour = 'ready'
    await using wide = await startGateway({
      databaseUrl: gateway.databaseUrl,
      services: services.url,
      env: { SEARCHENGINE_API_URL: services.url, CRAWLER_API_URL: 'http://127.0.0.1:9' },
    })
    const { status, report } = await ask('?services=crawler,searchengine', gateway.internalHeaders, wide)
    expect([status, Object.keys(report.services)]).toEqual([400, ['searchengine', 'crawler']])
    expect(report.services.searchengine).toMatchObject({ status: 'ready', url: services.url })
    expect(report.services.crawler).toEqual({
      status: 'error',
      url: 'http://127.0.0.1:9',
      errors: [
        {
          error: 'ServiceUnavailable',
          module: 'crawler',
          driver: 'service',
          message: 'The service can’t be reached.',
        },
      ],
    })
    const own = await ask('?services=api-gateway', gateway.internalHeaders, wide)
    expect(own.report.services['api-gateway']?.errors).toContainEqual({
      error: 'ServiceUnavailable',
      module: 'crawler',
      driver: 'service',
      message: 'Nothing answers at http://127.0.0.1:9.',
    })
    expect((await ask('?services=crawler')).status).toBe(400)
  })

  test('has the store of photos where it is configured, with what really runs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'photos-'))
    await using photographed = await startGateway({
      databaseUrl: gateway.databaseUrl,
      env: { FILES_URL: `file:${directory}` },
    })
    const own = async () => (await ask('?services=api-gateway', gateway.internalHeaders, photographed)).report
    expect((await own()).services['api-gateway']?.modulesReady).toContainEqual({
      module: 'photos',
      driver: 'directory',
    })
  })

  test('names a missing table, and shows no password, statement or stack', async () => {
    const broken = await startGateway({
      services: services.url,
      env: { READINESS_CACHE_TTL_MS: '0', CACHE_URL: 'redis://canary-user:canary-password@127.0.0.1:9' },
    })
    await using _ = broken
    await broken.database.many(sql`alter table gateway.oidc_records rename to gone`)
    const { status, report } = await ask('?services=api-gateway', broken.internalHeaders, broken)
    expect(status).toBe(400)
    expect(report.services['api-gateway']?.errors).toContainEqual({
      error: 'DatabaseError',
      module: 'database',
      driver: 'postgres',
      message: expect.stringContaining('relation "gateway.oidc_records" does not exist (42P01)'),
    })
    expect(report.services['api-gateway']?.errors).toContainEqual(
      expect.objectContaining({ error: 'CacheError', module: 'rateLimitsRedis', driver: 'redis' }),
    )
    const { password } = new URL(broken.databaseUrl)
    expect(JSON.stringify(report)).not.toMatch(new RegExp(`canary|select|\\.ts|${password || 'never'}`, 'i'))
  })
})
