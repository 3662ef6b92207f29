import {
  createAccessToken,
  createAnonymousSession,
  getMe,
  listAccessTokens,
  revokeAccessToken,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type SignedIn, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing.ts'

let service: Upstream
let gateway: TestGateway
let ada: SignedIn
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
  ada = await gateway.signIn({ userId: 'ada' })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
const create = async (who = ada, name = 'ci') => {
  const body = { name, expiresAt: inSeconds(3600) }
  return gateway.client(who.headers)(createAccessToken, { body })
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('creating an access token', () => {
  test('shows the token once: only its hash is kept', async () => {
    const expiresAt = inSeconds(60)
    const created = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: ' ci ', expiresAt },
    })
    expect(created).toEqual({
      _id: expect.any(String),
      name: 'ci',
      userId: 'ada',
      expiresAt,
      token: expect.stringMatching(/^at:[0-9A-Za-z]{49}$/),
    })
    const rows = await gateway.database.many(
      sql`select * from gateway.access_tokens where id::text = ${created._id}`,
    )
    expect(JSON.stringify(rows)).not.toContain(created.token.slice(3, 40))
    expect(rows).toMatchObject([{ token_hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
  })

  test.each([
    { name: 'ci', expiresAt: '2000-01-01T00:00:00Z' },
    { name: 'ci', expiresAt: inSeconds(2_592_000 + 60) },
    { name: 'ci', expiresAt: '9999-12-31T23:59:59Z' },
    { name: 'ci', expiresAt: 'Infinity' },
    { name: 'ci', expiresAt: null },
    { name: 'ci', expiresAt: 1_900_000_000 },
    { name: 'ci' },
    { name: '', expiresAt: inSeconds(60) },
    { name: '   ', expiresAt: inSeconds(60) },
    { expiresAt: inSeconds(60) },
    { name: 'ci', expiresAt: inSeconds(60), userId: 'root' },
  ])('refuses %j', async (body) => {
    const response = await fetch(`${gateway.url}/v2/user/accessTokens`, {
      method: 'POST',
      headers: { ...ada.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      400,
      'RequestValidationError',
    ])
  })

  test('takes another time zone', async () => {
    const soon = new Date(Date.now() + 3_600_000 * 3).toISOString().replace('Z', '+02:00')
    await expect(
      gateway.client(ada.headers)(createAccessToken, { body: { name: 'zone', expiresAt: soon } }),
    ).resolves.toBeDefined()
  })

  test('needs an account: nobody, a visitor and an access token may not', async () => {
    const body = { name: 'ci', expiresAt: inSeconds(60) }
    const visitor = await gateway.client()(createAnonymousSession)
    const { token } = await create()
    const attempt = (headers: Record<string, string>) => gateway.client(headers)(createAccessToken, { body })
    await expect(attempt({})).rejects.toMatchObject({ status: 401 })
    await expect(attempt(bearer(visitor.token))).rejects.toMatchObject({ status: 403 })
    await expect(attempt(bearer(token))).rejects.toMatchObject({ status: 403 })
  })
})

describe('an access token', () => {
  test('acts for its owner, with all scopes', async () => {
    const { token, _id } = await create()
    const me = await gateway.client(bearer(token))(getMe)
    expect(me).toMatchObject({ id: 'ada', sessionId: `at:${_id}` })
    await fetch(`${gateway.url}/v2/workspaces`, { headers: bearer(token) })
    expect(service.seen.at(-1)?.headers).toMatchObject({
      'x-platform-user-id': 'ada',
      'x-platform-session-id': `at:${_id}`,
      'x-platform-scope': expect.stringContaining('workspaces:write'),
    })
  })

  test('may read what is under security/ but change nothing there, nor anything of the account', async () => {
    const { token } = await create()
    const status = async (method: string, path: string) =>
      (await fetch(gateway.url + path, { method, headers: bearer(token) })).status
    expect(await status('GET', '/v2/workspaces/w1/security/apikeys')).toBe(200)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(await status(method, '/v2/workspaces/w1/security/apikeys'), method).toBe(403)
    }
    expect(await status('GET', '/v2/user/accessTokens')).toBe(403)
    expect(await status('DELETE', '/v2/user/sessions')).toBe(403)
    expect(await status('DELETE', '/v2/user/sessions/current')).toBe(403)
  })

  test.each(['at:', 'at:x', `at:${'a'.repeat(49)}`])('that never was is 401: %s', async (token) => {
    await expect(gateway.client(bearer(token))(getMe)).rejects.toMatchObject({ name: 'AuthenticationError' })
  })

  test('that has expired is 401', async () => {
    const { token, _id } = await create()
    await gateway.database.many(
      sql`update gateway.access_tokens set expires_at = now() - interval '1 second' where id::text = ${_id}`,
    )
    await expect(gateway.client(bearer(token))(getMe)).rejects.toMatchObject({ status: 401 })
  })

  test('in the query, a form or the cookie of another name signs nobody in', async () => {
    const { token } = await create()
    const query = new URLSearchParams({
      access_token: token,
      apiKey: token,
      authorization: `Bearer ${token}`,
    })
    expect((await fetch(`${gateway.url}/v2/me?${query}`)).status).toBe(401)
    expect((await fetch(`${gateway.url}/v2/me`, { headers: { cookie: `token=${token}` } })).status).toBe(401)
  })

  test('remembers when it was used, off the request path', async () => {
    const { token, _id } = await create()
    for (let count = 0; count < 5; count += 1) await gateway.client(bearer(token))(getMe)
    const lastUsed = async () => {
      const tokens = await gateway.client(ada.headers)(listAccessTokens)
      return tokens.find((listed) => listed._id === _id)?.lastUsedAt
    }
    await vi.waitFor(async () => expect(await lastUsed()).toEqual(expect.any(String)), { timeout: 8000 })
    const first = await lastUsed()
    await gateway.client(bearer(token))(getMe)
    expect(await lastUsed()).toBe(first)
  })
})

describe('listing access tokens', () => {
  test('shows one’s own, newest first, never the token', async () => {
    const bob = await gateway.signIn({ userId: 'bob' })
    const [first, second] = [await create(bob, 'one'), await create(bob, 'two')]
    const tokens = await gateway.client(bob.headers)(listAccessTokens)
    expect(tokens.map(({ _id }) => _id)).toEqual([second._id, first._id])
    expect(JSON.stringify(tokens)).not.toMatch(/at:[0-9A-Za-z]{20}|hash/)
    await expect(gateway.client()(listAccessTokens)).rejects.toMatchObject({ status: 401 })
  })
})

describe('revoking an access token', () => {
  test('ends it everywhere within a second', async () => {
    await using other = await startGateway({ databaseUrl: gateway.databaseUrl, services: service.url })
    const { token, _id } = await create()
    for (const at of [gateway, other]) await at.client(bearer(token))(getMe)
    const revoked = await gateway.client(ada.headers)(revokeAccessToken, { params: { accessTokenId: _id } })
    expect(revoked).toMatchObject({ _id, userId: 'ada' })
    for (const at of [gateway, other]) {
      const refused = () => expect(at.client(bearer(token))(getMe)).rejects.toMatchObject({ status: 401 })
      await vi.waitFor(refused, { timeout: 1000, interval: 20 })
    }
  })

  test('answers the same 404 for a token of somebody else and for none', async () => {
    const bob = await gateway.signIn()
    const { _id, token } = await create()
    const attempt = async (id: string) => {
      const response = await fetch(`${gateway.url}/v2/user/accessTokens/${id}`, {
        method: 'DELETE',
        headers: bob.headers,
      })
      return [response.status, await response.text()]
    }
    const foreign = await attempt(_id)
    expect(foreign[0]).toBe(404)
    expect(await attempt('11111111-1111-4111-8111-111111111111')).toEqual(foreign)
    expect(await attempt('nonsense')).toEqual(foreign)
    expect(await attempt(encodeURIComponent(token))).toEqual(foreign)
    expect(await gateway.client(bearer(token))(getMe)).toMatchObject({ id: 'ada' })
    await expect(
      gateway.client()(revokeAccessToken, { params: { accessTokenId: _id } }),
    ).rejects.toMatchObject({ status: 401 })
  })
})
