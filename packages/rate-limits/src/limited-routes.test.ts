import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Principal } from '@platform/auth'
import { openMemoryCache } from '@platform/cache'
import { endpoint, type LimitName } from '@platform/contracts'
import { createApp, type RequestInfo, type Route, route, setRequestState } from '@platform/http'
import { Failure } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { rateLimiter } from './rate-limiter.ts'

const log = createLogger({ level: 'silent' })
const user = (userId: string) => ({ kind: 'user', userId, scopes: [] }) as unknown as Principal

const limited = (
  limits: readonly LimitName[],
  handle: (request: RequestInfo) => Promise<unknown> = async () => 'done',
  admit: () => Promise<unknown> = async () => undefined,
): Route => {
  const contract = endpoint({
    id: 'limited',
    summary: 'Is limited.',
    service: 'events',
    credential: 'none',
    method: 'post',
    path: '/workspaces/:workspaceId/things',
    bodyKind: 'bytes',
    response: z.unknown(),
    limits,
    failures: ['TooManyRequests'],
  })
  return route(contract, { admit, handle: ({ request }) => handle(request) })
}

/** A server whose callers say in headers who they are. */
async function serve(routes: Route[], points: Record<string, number>) {
  const settings = { disabled: false, points: new Map(Object.entries(points)) }
  const limiter = rateLimiter({ cache: openMemoryCache(), log, service: 'test', settings })
  const app = createApp(routes, [], {
    rateLimiter: limiter,
    workspaceIdOf: (address) => (address.startsWith('slug:') ? address.slice(5) : address),
  })
  const server = createServer((request, response) => {
    const { 'x-user': userId, 'x-key': apiKeyId, 'x-ip': clientIp = '192.0.2.1' } = request.headers
    const key: Principal | undefined =
      apiKeyId === undefined ? undefined : { kind: 'apiKey', apiKeyId: String(apiKeyId) }
    setRequestState(request, {
      correlationId: 'test',
      clientIp: String(clientIp),
      startedAt: Date.now(),
      log,
      principal: userId === undefined ? key : user(String(userId)),
      route: undefined,
      deadlineAt: Date.now() + 60_000,
    })
    app(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    post: (headers: Record<string, string> = {}, workspace = 'w', body = Buffer.alloc(0)) =>
      fetch(`http://127.0.0.1:${port}/workspaces/${workspace}/things`, { method: 'POST', headers, body }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const shown = (answer: Response) =>
  Object.fromEntries([...answer.headers].filter(([name]) => /rate-?limit|retry/.test(name)))

describe('a limited route', () => {
  test('tells every caller in both header families where they stand, and refuses with 429', async () => {
    await using server = await serve([limited(['upload'])], { RATE_LIMIT_UPLOADS: 2 })
    const answers = [await server.post(), await server.post(), await server.post()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    const policy = '"uploads";q=2;w=60'
    const common = { 'ratelimit-policy': policy, 'x-ratelimit-limit': '2' }
    for (const [index, remaining] of [1, 0, 0].entries()) {
      const headers = shown(answers[index] as Response)
      expect(headers).toMatchObject({ ...common, 'x-ratelimit-remaining': String(remaining) })
      expect(headers.ratelimit).toMatch(new RegExp(`^"uploads";r=${remaining};t=(59|60)$`))
      const waitSeconds = Number(headers['x-ratelimit-reset']) - Date.now() / 1000
      expect(waitSeconds).toBeGreaterThan(55)
      expect(waitSeconds).toBeLessThan(62)
    }
    const refused = answers[2] as Response
    const retryAfter = Number(refused.headers.get('retry-after'))
    expect(retryAfter).toBeGreaterThan(55)
    expect(await refused.json()).toEqual({
      error: 'TooManyRequests',
      message: `Too many requests: the limit uploads is 2 a minute; try again in ${retryAfter} seconds.`,
      details: { retryAfter, limit: 'uploads' },
    })
  })

  test('refuses before the body is there', async () => {
    await using server = await serve([limited(['upload'])], { RATE_LIMIT_UPLOADS: 0 })
    const socket = connect(server.port, '127.0.0.1')
    socket.write('POST /workspaces/w/things HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n')
    const [bytes] = await once(socket, 'data')
    socket.destroy()
    expect(String(bytes)).toMatch(/^HTTP\/1\.1 429 /)
  })

  test('counts each user, each API key and each address without either by itself', async () => {
    await using server = await serve([limited(['upload'])], { RATE_LIMIT_UPLOADS: 1 })
    const callers = [{ 'x-user': 'ada' }, { 'x-user': 'bob' }, { 'x-key': 'k1' }, { 'x-ip': '192.0.2.2' }, {}]
    for (const caller of callers) {
      expect((await server.post(caller)).status).toBe(200)
      expect((await server.post({ 'x-ip': '198.51.100.1', ...caller })).status).toBe(
        Object.keys(caller).length === 0 ? 200 : 429,
      )
    }
  })

  test('of several limits tells the one with the least left, also where the answer is an error', async () => {
    const wrong = async () => Promise.reject(new Failure('RequestValidationError', 'Wrong.'))
    await using server = await serve([limited(['upload', 'webhooks', 'eventSearch'], wrong)], {
      RATE_LIMIT_EVENT_SEARCH: 3,
    })
    const answer = await server.post()
    expect(answer.status).toBe(400)
    expect(shown(answer)).toMatchObject({ 'x-ratelimit-remaining': '2' })
    expect(answer.headers.get('ratelimit-policy')).toBe('"event-search";q=3;w=60')
  })

  test('counts a workspace once, whichever address of it is asked, and not what strangers ask', async () => {
    let isStranger = true
    const admit = async () => {
      if (isStranger) throw new Failure('ObjectNotFoundError', 'Nothing.')
    }
    await using server = await serve([limited(['webhooks'], async () => 'done', admit)], {
      RATE_LIMIT_WEBHOOKS: 2,
    })
    for (let count = 0; count < 5; count += 1) expect((await server.post()).status).toBe(404)
    isStranger = false
    const statuses = []
    for (const address of ['w', 'slug:w', 'w', 'slug:w', 'other']) {
      statuses.push((await server.post({}, address)).status)
    }
    expect(statuses).toEqual([200, 200, 429, 429, 200])
  })

  test('counts for a workspace nothing that was refused before anybody looked who asks', async () => {
    await using server = await serve([limited(['webhooks'])], { RATE_LIMIT_WEBHOOKS: 2 })
    for (let count = 0; count < 5; count += 1)
      expect((await server.post({}, 'w', Buffer.alloc(1_000_001))).status).toBe(413)
    const statuses = [await server.post(), await server.post(), await server.post()].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([200, 200, 429])
  })

  test('counts work that was begun, whatever becomes of it', async () => {
    const handle = async () =>
      Promise.reject(new Failure('ObjectNotFoundError', 'What it works with is gone.'))
    await using server = await serve([limited(['webhooks'], handle)], { RATE_LIMIT_WEBHOOKS: 2 })
    const statuses = [await server.post(), await server.post(), await server.post()].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([404, 404, 429])
  })

  test('on creating counts what was created and shows it: neither what was refused nor what was too long', async () => {
    let outcome: Failure | undefined
    const handle = () => (outcome === undefined ? Promise.resolve('done') : Promise.reject(outcome))
    await using server = await serve([limited(['createWorkspace'], handle)], {
      RATE_LIMIT_CREATE_WORKSPACE: 2,
    })
    const post = (body?: Buffer<ArrayBuffer>) => server.post({ 'x-user': 'ada' }, 'w', body)
    for (const name of ['RequestValidationError', 'AlreadyUsed', 'ForbiddenError'] as const) {
      outcome = new Failure(name, 'Refused.')
      expect(shown(await post())).toMatchObject({ 'x-ratelimit-remaining': '2' })
    }
    for (let count = 0; count < 3; count += 1) expect((await post(Buffer.alloc(1_000_001))).status).toBe(413)
    outcome = undefined
    const answers = [await post(), await post(), await post()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(shown(answers[0] as Response)).toMatchObject({ 'x-ratelimit-remaining': '1' })
  })

  test('on creating counts what may have been created all the same', async () => {
    const handle = () => Promise.reject(new Failure('ServiceUnavailable', 'The store is down.'))
    await using server = await serve([limited(['createWorkspace'], handle)], {
      RATE_LIMIT_CREATE_WORKSPACE: 2,
    })
    const statuses = [await server.post(), await server.post(), await server.post()].map(
      ({ status }) => status,
    )
    expect(statuses).toEqual([503, 503, 429])
  })

  test('that a handler takes counts a malformed request nothing, and an address that is taken one', async () => {
    let name: 'RequestValidationError' | 'AlreadyUsed' = 'RequestValidationError'
    const handle = async (request: RequestInfo) => {
      await request.takeLimit('signUp', request.clientIp)
      throw new Failure(name, 'Refused.')
    }
    await using server = await serve([limited(['signUp'], handle)], { RATE_LIMIT_SIGNUP: 1 })
    for (let count = 0; count < 3; count += 1) expect((await server.post()).status).toBe(400)
    name = 'AlreadyUsed'
    expect((await server.post()).status).toBe(409)
    expect((await server.post()).status).toBe(429)
  })

  test('lets the handler take what only it knows', async () => {
    const handle = async (request: RequestInfo) => {
      await request.takeLimit('emit', 'workspace', 4)
      return 'done'
    }
    await using server = await serve([limited(['emit'], handle)], {
      RATE_LIMIT_HTTP_EMITS: 5,
      RATE_LIMIT_HTTP_EMITS_BURST: 4,
    })
    const answers = [await server.post(), await server.post(), await server.post()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.headers.get('ratelimit-policy')).toBe('"emit";q=5;w=1;burst=4')
    expect(answers[2]?.headers.get('retry-after')).toBe('1')
  })
})
