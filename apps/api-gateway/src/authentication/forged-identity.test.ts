import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createAnonymousSession } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../test/start-gateway.ts'

let service: Upstream
let gateway: TestGateway
let ada: { authorization: string }
let visitor: { authorization: string }
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
  ada = (await gateway.signIn({ userId: 'ada' })).headers
  visitor = { authorization: `Bearer ${(await gateway.client()(createAnonymousSession)).token}` }
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const identities = [
  'x-platform-user-id',
  'x-platform-session-id',
  'x-platform-role',
  'x-platform-client-id',
  'x-platform-scope',
  'x-platform-auth-data',
  'x-platform-api-key-id',
  'x-platform-workspace-id',
  'x-platform-source-workspace-id',
  'x-platform-client-ip',
  'x-platform-internal-key',
  'x-platform-request-deadline',
  'x-platform-anything',
  'x-forwarded-for',
  'x-forwarded-user',
  'x-forwarded-host',
]

const spellings: ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replaceAll('-', '_'),
  (name) => name.replace('-', '_'),
  (name) => name.replace(/-([a-z])(?=[a-z-]*$)/, '_$1').toUpperCase(),
]

/** Sends exactly these header lines. */
async function sendRaw(
  headers: string[],
  path = '/v2/workspaces/w1/webhooks/x',
): Promise<{ status: number; body: string }> {
  const sending = httpRequest(gateway.url + path, { headers: headers as never, setHost: true })
  sending.end()
  const [response] = (await once(sending, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, body: await text(response) }
}

const claimed = 'superadmin-forged-value'

/** Names that reach the service with the forged value; a service that reads `_` as `-` must not be fooled either. */
const arrived = () =>
  (service.seen.at(-1)?.raw ?? []).filter(
    (_, index, raw) => index % 2 === 0 && raw[index + 1]?.includes(claimed),
  )

describe('identity headers a client sends', () => {
  const cases = identities.flatMap((name) => spellings.map((spell) => spell(name)))

  test(`never arrive, in ${cases.length} spellings, whoever sends them`, async () => {
    for (const credential of [ada, visitor, undefined]) {
      for (const name of cases) {
        const lines = [
          ...(credential === undefined ? [] : ['authorization', credential.authorization]),
          name,
          claimed,
        ]
        const { status } = await sendRaw(['host', 'gateway', ...lines])
        expect(status, name).toBe(200)
        expect(arrived(), name).toEqual([])
        const user = service.seen.at(-1)?.headers['x-platform-user-id']
        if (credential === ada) expect(user, name).toBe('ada')
        else if (credential === undefined) expect(user, name).toBeUndefined()
        else expect(user, name).not.toContain(claimed)
      }
    }
  })

  test('change nothing at the gateway itself', async () => {
    for (const name of cases) {
      const response = await fetch(`${gateway.url}/v2/me`, { headers: { ...ada, [name]: 'root' } })
      expect((await response.json()) as object, name).toMatchObject({ id: 'ada' })
    }
  })

  test('that come twice are refused', async () => {
    for (const name of ['x-platform-user-id', 'X-Platform-Role', 'authorization', 'x-platform-api-key']) {
      const { status } = await sendRaw(['host', 'gateway', name, 'a-value-of-it', name, 'another-value'])
      expect(status, name).toBe(400)
    }
  })

  test('that hide behind white space or a folded line are refused', async () => {
    for (const line of [
      'x-platform-user-id : root',
      'x-a: b\r\n x-platform-user-id: root',
      ' x-platform-user-id: root',
    ]) {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
      socket.write(`GET /v2/me HTTP/1.1\r\nhost: x\r\n${line}\r\nconnection: close\r\n\r\n`)
      expect(await text(socket), line).toMatch(/^HTTP\/1\.1 400 /)
    }
  })

  test('do not open the gateway when they carry the internal key', async () => {
    for (const path of ['/v2/me', '/v2/workspaces', '/v2/readiness']) {
      const internal = { 'x-platform-internal-key': gateway.internalHeaders['x-platform-api-key'] }
      expect((await fetch(gateway.url + path, { headers: internal })).status, path).toBe(401)
    }
  })
})

describe('paths', () => {
  test.each([
    '//v2/me',
    '/v2//me',
    '/v2/../v1',
    '/v2/./me',
    '/v2/%2e%2e/sys/cleanup',
    '/v2/.%2e/sys',
    '/v2;/me',
    '/v2/me;x',
    '/v2%2fme',
    '/v2%2Fme',
    '/v2/workspaces/%5c..%5cx',
    '/v2/workspaces/%00',
    '/v2/workspaces/a%0d%0ab',
    '/v2/workspaces/%252e%252e/x',
    '/v2/workspaces/%252fx',
    '/v2/workspaces/%c0%af',
    '/v2/workspaces/%ff',
    '/v2/workspaces/%',
    '/v2/workspaces/%zz',
    '/v2/workspaces/a\\b',
  ])('that mean different things to different servers are refused: %s', async (path) => {
    const before = service.seen.length
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${ada.authorization}\r\nconnection: close\r\n\r\n`,
    )
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*RequestValidationError/s)
    expect(service.seen.length).toBe(before)
  })

  test('are forwarded in their one spelling', async () => {
    await fetch(`${gateway.url}/v2/workspaces/%77%31/caf%C3%A9%20x`, { headers: ada })
    expect(service.seen.at(-1)?.url).toBe('/v2/workspaces/w1/caf%C3%A9%20x')
  })

  test.each(['/sys/cleanup/indices', '/sys', '/sys/sample-workspace', '/%73ys/cleanup/x'])(
    'of the inside are 404 outside: %s',
    async (path) => {
      const before = service.seen.length
      const response = await fetch(gateway.url + path, { method: 'POST', headers: gateway.internalHeaders })
      expect(response.status).toBe(404)
      expect(service.seen.length).toBe(before)
    },
  )
})
