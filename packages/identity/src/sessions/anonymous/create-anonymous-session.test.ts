import { createAnonymousSession, getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const post = (headers: Record<string, string> = {}, body?: string) =>
  fetch(`${gateway.url}/v2/login/anonymous`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body }),
  })

describe('starting an anonymous session', () => {
  test('needs no credential and answers a JWT with exactly the nine claims', async () => {
    const session = await gateway.client()(createAnonymousSession)
    const [head = '', payload = ''] = session.token.split('.')
    const header = JSON.parse(Buffer.from(head, 'base64url').toString())
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(header).toEqual({ typ: 'at+jwt', alg: 'RS256', kid: expect.stringMatching(/^[\w-]{43}$/) })
    expect(Object.keys(claims).sort()).toEqual(
      ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'prismeaiSessionId', 'scope', 'sub'].sort(),
    )
    expect(claims).toMatchObject({
      sub: session.userId,
      prismeaiSessionId: session.sessionId,
      iss: 'http://localhost:3001/oidc',
      aud: 'http://localhost:3001/v2',
      client_id: 'local-client-id',
      scope: 'events:read events:write webhooks pages:read files:read files:write',
    })
    expect(claims.exp - claims.iat).toBe(2_592_000)
  })

  test('answers a JWT that opens /v2/me as an anonymous user', async () => {
    const session = await gateway.client()(createAnonymousSession)
    const me = await gateway.client({ authorization: `Bearer ${session.token}` })(getMe)
    expect(me).toMatchObject({
      id: session.userId,
      sessionId: session.sessionId,
      authData: { anonymous: {} },
    })
  })

  test('sets the cookie of a browser', async () => {
    const cookie = (await post()).headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^access-token=eyJ[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('lasts as long as it was asked for', async () => {
    const session = await gateway.client()(createAnonymousSession, { body: { expiresAfter: 60 } })
    const lastsMs = new Date(session.expires).getTime() - Date.now()
    expect(lastsMs).toBeGreaterThan(50_000)
    expect(lastsMs).toBeLessThanOrEqual(60_000)
  })

  test.each([
    ['{"expiresAfter":0}', 400],
    ['{"expiresAfter":"1"}', 400],
    ['{"expiresAfter":31536001}', 400],
    ['{"expiresAfter":1e400}', 400],
    ['{"orgSlug":""}', 400],
    ['{"other":1}', 400],
    ['{', 400],
  ])('refuses the body %s', async (body, status) => {
    expect((await post({}, body)).status).toBe(status)
  })

  test('comes to no organization that is not there', async () => {
    const response = await post({}, '{"orgSlug":"acme"}')
    expect(response.status).toBe(404)
    expect(await response.json()).toEqual({
      error: 'ObjectNotFoundError',
      message: 'There is no organization "acme" that lets visitors in.',
    })
  })

  test('remembers which key has signed its JWT', async () => {
    const { sessionId } = await gateway.client()(createAnonymousSession)
    const rows = await gateway.database.many(
      sql`select signing_kid as kid, anonymous, provider from gateway.sessions where id = ${sessionId}`,
    )
    expect(rows).toEqual([{ kid: gateway.keyRing.signing().kid, anonymous: true, provider: null }])
  })

  test('refuses a bad credential although it needs none', async () => {
    const response = await post({ authorization: 'Bearer nonsense' })
    expect(response.status).toBe(401)
    expect(await response.json()).toMatchObject({ error: 'AuthenticationError' })
  })

  test('may not be done with an access token', async () => {
    const { headers } = await gateway.signIn()
    const created = await fetch(`${gateway.url}/v2/user/accessTokens`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'ci', expiresAt: new Date(Date.now() + 60_000).toISOString() }),
    })
    const { token } = (await created.json()) as { token: string }
    expect((await post({ authorization: `Bearer ${token}` })).status).toBe(403)
  })
})

describe('the limit of anonymous logins', () => {
  test('refuses the eleventh a minute from one address and says when to come back', async () => {
    await using limited = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false' } })
    const call = () => fetch(`${limited.url}/v2/login/anonymous`, { method: 'POST' })
    // Two windows at most: the minute may change between the first and the last call.
    const answers = []
    for (let count = 0; count < 21; count += 1) answers.push(await call())
    const [first] = answers
    expect(first?.headers.get('ratelimit-policy')).toBe('"anonymous-login";q=10;w=60')
    expect(first?.headers.get('x-ratelimit-remaining')).toBe('9')
    const refused = answers.find((response) => response.status === 429)
    expect(await refused?.json()).toMatchObject({
      error: 'TooManyRequests',
      details: { retryAfter: expect.any(Number) },
    })
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused?.headers.get('x-ratelimit-remaining')).toBe('0')
  })
})

describe('the rows of anonymous sessions', () => {
  test('are bounded: a flood is refused with a sentence, people with accounts go on', async () => {
    await using small = await startIdentity({ env: { ANONYMOUS_SESSIONS_MAX: '20' } })
    const call = () => fetch(`${small.url}/v2/login/anonymous`, { method: 'POST' })
    const answers = await Promise.all(Array.from({ length: 60 }, call))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20)
    const refused = answers.find(({ status }) => status !== 200)
    expect(refused?.headers.get('retry-after')).toBe('60')
    expect([refused?.status, await refused?.json()]).toEqual([
      503,
      { error: 'ServiceUnavailable', message: expect.stringContaining('Too many anonymous sessions') },
    ])
    for (const table of ['sessions', 'users'] as const) {
      const where =
        table === 'sessions'
          ? sql`gateway.sessions where anonymous`
          : sql`gateway.users where expires_at is not null`
      expect(await small.database.many(sql`select count(*)::int as count from ${where}`)).toEqual([
        { count: 20 },
      ])
    }
    const ada = await small.signIn()
    expect(await small.client(ada.headers)(getMe)).toMatchObject({ id: ada.userId })
  })

  test('of a network that fills the room make place for everybody else, the longest idle first', async () => {
    await using small = await startIdentity({
      env: { ANONYMOUS_SESSIONS_MAX: '20', TRUSTED_PROXY_HOPS: '1' },
    })
    const start = async (ip: string) => {
      const response = await fetch(`${small.url}/v2/login/anonymous`, {
        method: 'POST',
        headers: { 'x-forwarded-for': ip },
      })
      return {
        status: response.status,
        body: (await response.json()) as { token: string; sessionId: string },
      }
    }
    const [neighbour, other] = [await start('198.51.100.7'), await start('2001:db8:1:1::1')]
    // Each from a /64 of its own, as whoever has a /48 can.
    const flood = []
    for (let index = 0; index < 30; index += 1) flood.push(await start(`2001:db8:7:${index}::1`))
    expect(flood.map(({ status }) => status)).toEqual([...Array(18).fill(200), ...Array(12).fill(503)])

    expect((await start('203.0.113.9')).status).toBe(200)
    const meOf = async ({ body }: typeof neighbour) =>
      (await fetch(`${small.url}/v2/me`, { headers: { authorization: `Bearer ${body.token}` } })).status
    expect([await meOf(neighbour), await meOf(other)]).toEqual([200, 200])
    const [first, second] = flood
    expect(first && (await meOf(first))).toBe(401)
    expect(second && (await meOf(second))).toBe(200)
    expect((await start('2001:db8:7:99::1')).status).toBe(503)

    await small.database.many(sql`
      update gateway.sessions set created_at = now() - interval '2 hours', last_used_at = now() - interval '2 hours'
      where id = ${second?.body.sessionId ?? ''}`)
    await using later = await startIdentity({
      databaseUrl: small.databaseUrl,
      env: { ANONYMOUS_SESSIONS_MAX: '20', TRUSTED_PROXY_HOPS: '1' },
    })
    const own = await fetch(`${later.url}/v2/login/anonymous`, {
      method: 'POST',
      headers: { 'x-forwarded-for': '2001:db8:7:99::1' },
    })
    expect(own.status).toBe(200)
    const rows = await small.database.many(
      sql`select count(*)::int as count from gateway.sessions where anonymous`,
    )
    expect(rows).toEqual([{ count: 20 }])
  })

  test('of one address are ten a minute, and another address does not feel it', async () => {
    await using limited = await startIdentity({
      env: { RATE_LIMIT_DISABLED: 'false', TRUSTED_PROXY_HOPS: '1' },
    })
    const call = (ip: string) =>
      fetch(`${limited.url}/v2/login/anonymous`, { method: 'POST', headers: { 'x-forwarded-for': ip } })
    const flood = await Promise.all(Array.from({ length: 200 }, () => call('192.0.2.1')))
    const started = flood.filter(({ status }) => status === 200)
    expect(started.length).toBeGreaterThanOrEqual(10)
    expect(started.length).toBeLessThanOrEqual(20) // the minute may change meanwhile
    expect((await call('192.0.2.2')).status).toBe(200)
  })
})
