import type { Socket } from 'node:net'
import { endCurrentSession } from '@platform/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { clientFrame, handshake, openClient, serverFrame, startSocketService } from '../../test/sockets.ts'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'
import { routeTable } from '../forwarding/route-table.ts'

const PATH = '/v2/workspaces/w1/events/socket'
const GOING_AWAY = Buffer.from([0x88, 2, 0x03, 0xe9])
const POLICY_VIOLATION = Buffer.from([0x88, 2, 0x03, 0xf0])

let service: Awaited<ReturnType<typeof startSocketService>>
let gateway: TestGateway
let ada: Awaited<ReturnType<TestGateway['signIn']>>

beforeAll(async () => {
  service = await startSocketService()
  gateway = await startGateway({
    services: service.url,
    env: { GATEWAY_MAX_WEBSOCKETS_PER_CALLER: '5', GATEWAY_TIMEOUT: '2' },
  })
  ada = await gateway.signIn()
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
beforeEach(() => {
  service.handshakes.length = 0
  service.refuse = ''
  service.isSilent = false
  service.greeting = Buffer.alloc(0)
})

const answered = (client: ReturnType<typeof openClient>, status: number) =>
  vi.waitFor(() => expect(client.status(), client.head()).toBe(status), { timeout: 5000 })
const opened = async (headers: Record<string, string> = ada.headers, url = gateway.url) => {
  const client = openClient(url, handshake(PATH, headers))
  await answered(client, 101)
  return client
}

describe('a WebSocket', () => {
  test('is opened with a credential, and frames go both ways', async () => {
    using client = await opened({ ...ada.headers, 'sec-websocket-protocol': 'chat' })
    expect(client.head()).toMatch(/sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/)
    expect(client.head()).toMatch(/sec-websocket-protocol: chat/)
    expect(client.head()).toMatch(/x-correlation-id: /)
    expect(client.head()).not.toMatch(/internal-key|content-length|transfer-encoding/)
    client.socket.write(clientFrame('hello'))
    await vi.waitFor(() => expect(client.body()).toEqual(serverFrame('hello')))
  })

  test('tells the service who opens it, whatever the client says about itself', async () => {
    using client = await opened({
      ...ada.headers,
      connection: 'Upgrade, x-platform-user-id, x-platform-internal-key',
      'x-platform-user-id': 'root',
      'x-platform-role': 'superAdmin',
      x_platform_user_id: 'root',
      cookie: 'a=1',
    })
    const seen = service.handshakes[0]?.headers ?? {}
    expect(seen).toMatchObject({
      'x-platform-user-id': ada.userId,
      'x-platform-session-id': ada.sessionId,
      'x-platform-internal-key': expect.any(String),
      upgrade: 'websocket',
    })
    for (const name of ['authorization', 'cookie', 'x-platform-role', 'x_platform_user_id'])
      expect(seen).not.toHaveProperty(name)
    client.socket.destroy()
  })

  test('is opened by a handshake in pieces, with its first frame right behind', async () => {
    const bytes = Buffer.concat([Buffer.from(handshake(PATH, ada.headers)), clientFrame('early')])
    using client = openClient(gateway.url, '')
    for (let at = 0; at < bytes.length; at += 97) {
      client.socket.write(bytes.subarray(at, at + 97))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await answered(client, 101)
    await vi.waitFor(() => expect(client.body()).toEqual(serverFrame('early')))
  })

  test('passes on what the service sends at once', async () => {
    service.greeting = serverFrame('welcome')
    using client = await opened()
    await vi.waitFor(() => expect(client.body()).toEqual(serverFrame('welcome')))
  })

  test('that the client leaves is closed at the service, and the other way round', async () => {
    await vi.waitFor(() => expect(service.sockets.size).toBe(0))
    const client = await opened()
    expect(service.sockets.size).toBe(1)
    client.socket.destroy()
    await vi.waitFor(() => expect(service.sockets.size).toBe(0))
    using second = await opened()
    for (const socket of service.sockets) socket.destroy()
    await vi.waitFor(() => expect(second.socket.closed).toBe(true))
  })

  test.each([
    ['closed', (socket: Socket) => void socket.end()],
    ['closed behind a first frame', (socket: Socket) => void socket.end(clientFrame('too early'))],
    ['reset', (socket: Socket) => void socket.resetAndDestroy()],
  ])('whose client leaves before the service has answered is given up: %s', async (_, leave) => {
    await vi.waitFor(() => expect(service.sockets.size).toBe(0))
    service.isSilent = true
    using client = openClient(gateway.url, handshake(PATH, ada.headers))
    await vi.waitFor(() => expect(service.sockets.size).toBe(1))
    leave(client.socket)
    await vi.waitFor(() => expect(service.sockets.size).toBe(0), { timeout: 800 })
  })
})

describe('a handshake that is refused', () => {
  const refused = async (status: number, bytes: string, url = gateway.url) => {
    const before = service.handshakes.length
    using client = openClient(url, bytes)
    await answered(client, status)
    await vi.waitFor(() => expect(client.socket.closed).toBe(true), { timeout: 3000 })
    expect(client.head()).toMatch(/x-correlation-id: /)
    expect(service.handshakes.length).toBe(before)
    return { head: client.head(), body: JSON.parse(client.body().toString()) as { error: string } }
  }

  test('without a credential or with a bad one is 401, as JSON', async () => {
    expect((await refused(401, handshake(PATH))).body.error).toBe('AuthenticationError')
    const bad: Record<string, string>[] = [
      { authorization: `${ada.headers.authorization.slice(0, -3)}AAA` },
      { authorization: 'Bearer at:nonsense' },
      { cookie: 'access-token=nonsense', origin: 'http://localhost:3000' },
      { 'x-platform-api-key': 'iak_acme_x' },
    ]
    for (const headers of bad) await refused(401, handshake(PATH, headers))
  })

  test('to any route that takes none is 400, and 401 with a bad credential', async () => {
    const paths = routeTable
      .filter(({ upgrade }) => upgrade === undefined)
      .map(({ path }) => path.replace(/\{.*\}/, '').replace(/[:*](\w+)/g, '$1'))
    for (const path of [...paths, '/', '/v2/me', '/v2/readiness', '/oidc/jwks', '/nothing']) {
      await refused(400, handshake(path, ada.headers))
      if (path.startsWith('/v2')) await refused(401, handshake(path, { authorization: 'Bearer at:nonsense' }))
    }
  })

  test('to something else than a path is 400', async () => {
    for (const target of ['http://127.0.0.1:9/v2/workspaces/w1/events', '//127.0.0.1/x', '/v2/%2e%2e/x'])
      await refused(400, handshake(target, ada.headers))
  })

  test('that is none by RFC 6455 is 400', async () => {
    const { head } = await refused(400, handshake(PATH, { ...ada.headers, 'sec-websocket-version': '8' }))
    expect(head).toMatch(/sec-websocket-version: 13/)
    await refused(400, handshake(PATH, { ...ada.headers, 'sec-websocket-key': 'short' }))
    await refused(400, handshake(PATH, ada.headers).replace('GET', 'POST'))
    await refused(400, handshake(PATH, { ...ada.headers, 'content-length': '5' }))
  })

  test('by a page of somebody else is 403 with the cookie of its visitor, and opened by our own', async () => {
    const cookie = `access-token=${ada.jwt}`
    for (const origin of [undefined, 'null', 'https://evil.example', 'http://localhost:3000.evil.example']) {
      const headers: Record<string, string> = origin === undefined ? { cookie } : { cookie, origin }
      expect((await refused(403, handshake(PATH, headers))).body.error).toBe('ForbiddenError')
    }
    using client = await opened({ cookie, origin: 'http://localhost:3000' })
    client.socket.destroy()
  })

  test('beyond as many as one caller may have is 429, and there is room again when one is closed', async () => {
    const { headers } = await gateway.signIn()
    const clients = await Promise.all(Array.from({ length: 5 }, () => opened(headers)))
    const { head, body } = await refused(429, handshake(PATH, headers))
    expect([body.error, /retry-after: 1/.test(head)]).toEqual(['TooManyRequests', true])
    using other = await opened()
    other.socket.destroy()
    clients[0]?.socket.destroy()
    await vi.waitFor(async () => {
      using again = openClient(gateway.url, handshake(PATH, headers))
      await vi.waitFor(() => expect(again.status()).toBeGreaterThan(0))
      expect(again.status()).toBe(101)
    }, 5000)
    for (const { socket } of clients) socket.destroy()
  })

  test('while the service is down is 503 with Retry-After', async () => {
    await using alone = await startGateway({ databaseUrl: gateway.databaseUrl })
    const { head } = await refused(503, handshake(PATH, ada.headers), alone.url)
    expect(head).toMatch(/retry-after: 1/)
  })

  test('by the service is passed on as it said it', async () => {
    service.refuse =
      'HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 31\r\n' +
      'connection: close\r\n\r\n{"error":"ObjectNotFoundError"}'
    using client = openClient(gateway.url, handshake(PATH, ada.headers))
    await answered(client, 404)
    await vi.waitFor(() => expect(client.body().toString()).toBe('{"error":"ObjectNotFoundError"}'))
    await vi.waitFor(() => expect(client.socket.closed).toBe(true))
  })
})

describe('an open WebSocket ends', () => {
  test('within a second of its session, with 1008', async () => {
    const who = await gateway.signIn()
    using client = await opened(who.headers)
    using stays = await opened()
    await gateway.client(who.headers)(endCurrentSession)
    const startedAt = performance.now()
    await vi.waitFor(() => expect(client.socket.closed).toBe(true), { timeout: 3000, interval: 10 })
    expect(performance.now() - startedAt).toBePrompt(1000)
    expect(client.body()).toEqual(POLICY_VIOLATION)
    expect(stays.socket.closed).toBe(false)
  })

  test('when its JWT expires', async () => {
    const who = await gateway.signIn({ expiresInSeconds: 4 })
    using client = await opened(who.headers)
    await vi.waitFor(() => expect(client.socket.closed).toBe(true), { timeout: 5000 })
    expect(client.body()).toEqual(POLICY_VIOLATION)
  })

  test('with 1001 when the gateway stops, which does not wait for it', async () => {
    const stopping = await startGateway({ databaseUrl: gateway.databaseUrl, services: service.url })
    using client = await opened(ada.headers, stopping.url)
    const startedAt = performance.now()
    await stopping[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBePrompt(5000)
    await vi.waitFor(() => expect(client.socket.closed).toBe(true))
    expect(client.body()).toEqual(GOING_AWAY)
  })
})
