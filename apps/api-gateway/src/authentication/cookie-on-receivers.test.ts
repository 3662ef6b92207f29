import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CONSOLE,
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

let service: Upstream
let gateway: TestGateway
let ada: SignedIn
let bob: SignedIn
let csrf: string
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
  ada = await gateway.signIn()
  bob = await gateway.signIn()
  csrf = await csrfOf(ada)
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

async function csrfOf(who: SignedIn) {
  const me = await fetch(`${gateway.url}/v2/me`, { headers: who.headers })
  return me.headers.get('x-platform-csrf-token') ?? ''
}

async function call(method: string, headers: Record<string, string>) {
  const before = service.seen.length
  const response = await fetch(`${gateway.url}/v2/workspaces/w1/webhooks/hello`, {
    method,
    headers: { cookie: `access-token=${ada.jwt}`, ...headers },
  })
  await response.text()
  return { status: response.status, seen: service.seen[before]?.headers }
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

describe('the cookie on a URL trigger', () => {
  test.each(METHODS)('%s with the cookie alone calls it, and nobody is signed in', async (method) => {
    const alone: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
      { origin: CONSOLE },
      { referer: `${CONSOLE}/page` },
      { 'x-platform-csrf-token': csrf },
      { 'x-platform-csrf-token': csrf, origin: 'https://evil.example' },
      { 'x-platform-csrf-token': csrf, origin: 'null', 'sec-fetch-site': 'same-origin' },
      { 'x-platform-csrf-token': csrf, 'sec-fetch-site': 'same-site' },
      { 'x-platform-csrf-token': csrf, 'sec-fetch-site': 'none' },
      { 'x-platform-csrf-token': csrf, referer: `${CONSOLE}/page` },
      { 'x-platform-csrf-token': 'guessed', origin: CONSOLE },
      { 'x-platform-csrf-token': await csrfOf(bob), origin: CONSOLE },
    ]
    for (const headers of alone) {
      const { status, seen } = await call(method, headers)
      expect([status, seen?.['x-platform-user-id']], JSON.stringify(headers)).toEqual([200, undefined])
      expect(seen).not.toHaveProperty('cookie')
    }
  })

  test.each(METHODS)('%s with the CSRF token from a page of ours is its owner’s', async (method) => {
    for (const from of [{ origin: CONSOLE }, { 'sec-fetch-site': 'same-origin' }]) {
      const { status, seen } = await call(method, { 'x-platform-csrf-token': csrf, ...from })
      expect([status, seen?.['x-platform-user-id']]).toEqual([200, ada.userId])
    }
  })

  test('a cookie that has expired, is no JWT or is there twice is ignored, unless our page sends it', async () => {
    const { userId, sessionId } = ada
    const expiresAt = new Date(Date.now() - 60_000)
    const over = gateway.mint({ userId, sessionId, clientId: 'local-client-id', scopes: [], expiresAt })
    for (const cookie of [
      `access-token=${over}`,
      'access-token=nonsense',
      `access-token=${ada.jwt}; access-token=${bob.jwt}`,
    ])
      expect((await call('GET', { cookie })).status, cookie).toBe(200)
    const own = { cookie: `access-token=${over}`, 'x-platform-csrf-token': csrf, origin: CONSOLE }
    expect((await call('GET', own)).status).toBe(401)
  })
})
