import { once } from 'node:events'
import { createServer } from 'node:net'
import { createAnonymousSession, endSession, getMe, listSessions } from '@platform/contracts'
import { sql } from '@platform/database'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { authorize, Browser, redeem, redeemCode } from '../../test/sign-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

const person = { email: 'root@example.com', password: 'a password of the tests' }

let gateway: TestIdentity
let origin: string
let server: { settings: { issuer: string }; consoleSignIn: string }
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  gateway = await startIdentity({ env: { PORT: String(port), API_URL: `${origin}/v2` } })
  server = { settings: { issuer: `${origin}/oidc` }, consoleSignIn: 'http://localhost:3000/signin' }
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The issuer is part of the configuration, so the port must be known before the gateway listens. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const statusOf = async (token: string) => (await fetch(`${origin}/v2/me`, { headers: bearer(token) })).status
const cookieOf = (browser: Browser) => browser.cookies.get('access-token')?.value ?? ''

async function signIn(browser = new Browser()) {
  const page = await browser.visit(`${origin}/signin`)
  if (/<form method="post"/.test(page.text))
    await browser.submit(page, { login: person.email, password: person.password })
  return { browser, token: cookieOf(browser), claims: decodeJwt(cookieOf(browser)) }
}

/** A sign-in of the console with a refresh token. */
async function signInOffline() {
  const { authorization, code, browser } = await authorize(server, person, { scope: 'openid offline_access' })
  const { body } = await redeemCode(server, authorization, code)
  const token = String(body.access_token)
  const session = String(decodeJwt(token).prismeaiSessionId)
  const refresh = () =>
    redeem(server, {
      grant_type: 'refresh_token',
      client_id: 'local-client-id',
      refresh_token: String(body.refresh_token),
    })
  return { token, session, refresh, browser }
}

describe('signing in replaces what was there', () => {
  test('a planted cookie of a visitor is worth nothing afterwards, and its id is not taken over', async () => {
    const planted = await gateway.client()(createAnonymousSession)
    expect(await statusOf(planted.token)).toBe(200)
    const browser = new Browser()
    browser.cookies.set('access-token', { value: planted.token, path: '/' })
    const { token, claims } = await signIn(browser)
    const old = decodeJwt(planted.token)
    expect(claims.prismeaiSessionId).not.toBe(old.prismeaiSessionId)
    expect(claims.jti).not.toBe(old.jti)
    expect(claims.sub).not.toBe(old.sub)
    expect([await statusOf(token), await statusOf(planted.token)]).toEqual([200, 401])
    const rows = await gateway.database.many(
      sql`select details::jsonb ->> 'reason' as reason from audit.entries
        where subject = ${`session:${planted.sessionId}`}`,
    )
    expect(rows).toEqual([{ reason: 'replaced' }])
  })

  test('also where the console trades its code', async () => {
    const planted = await gateway.client()(createAnonymousSession)
    const { authorization, code } = await authorize(server, person)
    const form = {
      grant_type: 'authorization_code',
      client_id: 'local-client-id',
      redirect_uri: authorization.redirectUri,
      code,
      code_verifier: authorization.verifier,
    }
    const { status } = await redeem(server, form, {
      origin: 'http://localhost:3000',
      cookie: `access-token=${planted.token}`,
    })
    expect([status, await statusOf(planted.token)]).toEqual([200, 401])
  })

  test.each(['rubbish', 'eyJhbGciOiJub25lIn0.e30.', ''])(
    'a planted cookie %j is simply replaced',
    async (value) => {
      const browser = new Browser()
      browser.cookies.set('access-token', { value, path: '/' })
      expect(await statusOf((await signIn(browser)).token)).toBe(200)
    },
  )

  test('every sign-in has a session, a token id and a cookie of its own, also of the same person', async () => {
    const [first, second] = [await signIn(), await signIn()]
    const again = await signIn(first.browser)
    const all = [first, second, again]
    for (const claim of ['prismeaiSessionId', 'jti'] as const)
      expect(new Set(all.map(({ claims }) => claims[claim])).size, claim).toBe(3)
    expect(new Set(all.map(({ token }) => token)).size).toBe(3)
  })

  test('a session id that a client makes up is nobody’s', async () => {
    const made = crypto.randomUUID()
    const response = await fetch(`${origin}/v2/login/anonymous?sessionId=${made}`, {
      method: 'POST',
      headers: { 'x-platform-session-id': made, cookie: `sessionId=${made}` },
    })
    expect(((await response.json()) as { sessionId: string }).sessionId).not.toBe(made)
  })
})

describe('what else a sign-in gives', () => {
  test('opens nothing: neither id token nor refresh token nor code is an access token', async () => {
    const { authorization, code } = await authorize(server, person, { scope: 'openid offline_access' })
    const { body } = await redeemCode(server, authorization, code)
    expect(await statusOf(String(body.access_token))).toBe(200)
    for (const other of [body.id_token, body.refresh_token, code]) {
      expect(String(other).length).toBeGreaterThan(20)
      expect(await statusOf(String(other))).toBe(401)
      const cookie = `access-token=${other}`
      expect((await fetch(`${origin}/v2/me`, { headers: { cookie } })).status).toBe(401)
    }
  })
})

describe('a session that ends', () => {
  test('takes its refresh token and its grant along, and no other session', async () => {
    const [lost, here] = [await signInOffline(), await signInOffline()]
    const own = gateway.client(bearer(here.token))
    await own(endSession, { params: { sessionId: lost.session } })
    const refused = await lost.refresh()
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
    expect(await statusOf(lost.token)).toBe(401)
    const grants = await gateway.database.many(sql`
      select 1 from gateway.oidc_records as record join gateway.oidc_sign_ins as sign_in
        on record.grant_id = sign_in.grant_id or record.id = sign_in.grant_id
      where sign_in.session_id = ${lost.session}`)
    expect(grants).toEqual([])
    const refreshed = await here.refresh()
    expect(refreshed.status).toBe(200)
    expect(await statusOf(String(refreshed.body.access_token))).toBe(200)
  })

  test('by signing out here, or everywhere, can’t be refreshed either', async () => {
    const [one, two, three] = [await signInOffline(), await signInOffline(), await signInOffline()]
    const signOut = (token: string, path: string) =>
      fetch(`${origin}/v2/user/sessions${path}`, { method: 'DELETE', headers: bearer(token) })
    expect((await signOut(one.token, '/current')).status).toBe(200)
    expect((await one.refresh()).status).toBe(400)
    expect((await signOut(two.token, '')).status).toBe(200)
    for (const ended of [two, three]) expect((await ended.refresh()).status).toBe(400)
  })

  test('that only the database says has ended is refused at refresh too', async () => {
    const lost = await signInOffline()
    await gateway.database.many(sql`update gateway.sessions set ended_at = now() where id = ${lost.session}`)
    expect((await lost.refresh()).status).toBe(400)
  })

  test('makes its browser ask for the password again', async () => {
    const lost = await signInOffline()
    const here = await signInOffline()
    await gateway.client(bearer(here.token))(endSession, { params: { sessionId: lost.session } })
    const page = await lost.browser.visit(`${origin}/signin`)
    expect(page.text).toContain('type="password"')
  })

  test('was listed with the key that signed its latest token', async () => {
    const { token, session } = await signInOffline()
    const listed = await gateway.client(bearer(token))(listSessions)
    expect(listed.find(({ id }) => id === session)).toMatchObject({
      current: true,
      clientId: 'local-client-id',
    })
    expect((await gateway.client(bearer(token))(getMe)).sessionId).toBe(session)
    const [row] = await gateway.database.many(
      sql`select signing_kid as kid from gateway.sessions where id = ${session}`,
    )
    expect(row).toEqual({
      kid: JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid,
    })
  })
})
