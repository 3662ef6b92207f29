import { createAnonymousSession, endCurrentSession, getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdentity } from '../../../test/start-identity.ts'
import {
  askForTicket,
  cookieClaims,
  cookieJwt,
  expectErrorPage,
  openTicket,
  startWithPerson,
} from '../../../test/web-session-tickets.ts'

let world: Awaited<ReturnType<typeof startWithPerson>>
beforeAll(async () => {
  world = await startWithPerson()
})
afterAll(() => world[Symbol.asyncDispose]())

const newTicket = async (headers: Record<string, string> = world.ada.headers) =>
  (await askForTicket(world.gateway, headers)).path

describe('opening a web session ticket', () => {
  test('signs the browser in to a session of its own with the same rights, and leads on', async () => {
    const { gateway } = world
    const scopes = ['events:read', 'files:read'] as const
    const ada = await gateway.signIn({ userId: world.ada.userId, scopes })
    const response = await openTicket(gateway, await newTicket(ada.headers), {
      headers: { 'user-agent': 'curl/8.5.0' },
    })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('http://localhost:3000/welcome?x=1')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('cache-control')).toBe('no-store')
    const old = JSON.parse(Buffer.from(ada.jwt.split('.')[1] ?? '', 'base64url').toString())
    const claims = cookieClaims(response)
    expect(claims).toMatchObject({
      sub: ada.userId,
      client_id: 'local-client-id',
      scope: 'events:read files:read',
    })
    expect(claims?.prismeaiSessionId).not.toBe(old.prismeaiSessionId)
    expect(claims?.jti).not.toBe(old.jti)
    expect(Number(claims?.exp)).toBeLessThanOrEqual(old.exp)
    const me = await gateway.client({ authorization: `Bearer ${cookieJwt(response)}` })(getMe)
    expect(me).toMatchObject({ id: ada.userId, sessionId: claims?.prismeaiSessionId })
    const [row] = await gateway.database.many(sql`
      select user_agent, ip, signing_kid, provider from gateway.sessions
      where id = ${String(claims?.prismeaiSessionId)}`)
    expect(row).toEqual({
      user_agent: 'curl/8.5.0',
      ip: '127.0.0.1',
      signing_kid: gateway.keyRing.signing().kid,
      provider: 'prismeai',
    })
  })

  test('is told as a sign-in: one event and one audit row, in the transaction of the session', async () => {
    const { gateway } = world
    const response = await openTicket(gateway, await newTicket())
    const session = String(cookieClaims(response)?.prismeaiSessionId)
    const rows = await gateway.database.many(
      sql`select action, actor from audit.entries where subject = ${`session:${session}`}`,
    )
    expect(rows).toEqual([{ action: 'session.started', actor: `user:${world.ada.userId}` }])
  })

  test('works once, also when many open it at the same moment', async () => {
    const path = await newTicket()
    const answers = await Promise.all(Array.from({ length: 20 }, () => openTicket(world.gateway, path)))
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    await expectErrorPage(await openTicket(world.gateway, path))
  })

  test('is refused when it has expired, was never made, or is no ticket', async () => {
    const { gateway } = world
    const path = await newTicket()
    await gateway.database.many(
      sql`update gateway.web_session_tickets set expires_at = now() - interval '1 millisecond'`,
    )
    await expectErrorPage(await openTicket(gateway, path))
    for (const ticket of ['A'.repeat(43), 'x', "'--", 'A'.repeat(2000)])
      await expectErrorPage(await openTicket(gateway, `/signin/tickets/${ticket}`))
  })

  test('lasts 60 seconds', async () => {
    await newTicket()
    const rows = await world.gateway.database.many<{ seconds: number }>(sql`
      select extract(epoch from expires_at - created_at)::int as seconds from gateway.web_session_tickets
      order by created_at desc limit 1`)
    expect(rows[0]?.seconds).toBeGreaterThanOrEqual(59)
    expect(rows[0]?.seconds).toBeLessThanOrEqual(61)
  })

  test('is refused when the session it was made in has ended, or its user may not sign in any more', async () => {
    const { gateway } = world
    const [left, off] = [await gateway.signIn(), await gateway.signIn()]
    const paths = [await newTicket(left.headers), await newTicket(off.headers)]
    await gateway.client(left.headers)(endCurrentSession)
    await gateway.database.many(sql`update gateway.users set status = 'deactivated' where id = ${off.userId}`)
    for (const path of paths) await expectErrorPage(await openTicket(gateway, path))
  })

  test('checks again where it leads: the list of origins may be shorter by then', async () => {
    const { gateway } = world
    const path = await newTicket()
    await using other = await startIdentity({
      databaseUrl: gateway.databaseUrl,
      env: { CONSOLE_URL: 'https://console.example' },
    })
    await expectErrorPage(await openTicket(other, path))
  })

  test('is not burnt by a look ahead, and a credential beside it means nothing', async () => {
    const path = await newTicket()
    expect((await openTicket(world.gateway, path, { method: 'HEAD' })).status).toBe(400)
    const elsewhere = { origin: 'https://evil.example' }
    expect((await openTicket(world.gateway, path, { method: 'POST', headers: elsewhere })).status).toBe(400)
    const headers = { authorization: 'Bearer nonsense' }
    expect((await openTicket(world.gateway, path, { headers })).status).toBe(303)
  })

  test('ends the visit whose cookie was planted in the browser, and no session of an account', async () => {
    const { gateway, ada } = world
    const planted = await gateway.client()(createAnonymousSession)
    const statusOf = async (token: string) =>
      (await fetch(`${gateway.url}/v2/me`, { headers: { authorization: `Bearer ${token}` } })).status
    for (const [token, after] of [
      [planted.token, 401],
      [ada.jwt, 200],
    ] as const) {
      const headers = { cookie: `access-token=${token}` }
      expect((await openTicket(gateway, await newTicket(), { headers })).status).toBe(303)
      expect(await statusOf(token)).toBe(after)
    }
  })

  test('asks somebody else who is signed in in the browser first', async () => {
    const { gateway, ada } = world
    const bob = await gateway.signIn()
    const path = await newTicket()
    const cookie = `access-token=${bob.jwt}`
    for (const headers of [{ cookie }, { cookie, 'sec-fetch-site': 'cross-site' }]) {
      const asked = await openTicket(gateway, path, { headers })
      expect([asked.status, asked.headers.get('set-cookie')]).toEqual([200, null])
      const page = await asked.text()
      expect(page).toContain(`You are signed in as ${bob.userId}@example.com`)
      expect(page).toContain(`Sign in as ${ada.userId}@example.com`)
      expect(page).toContain(`action="http://localhost:3001${path}"`)
      expect(asked.headers.get('content-security-policy')).toContain(
        "form-action 'self' http://localhost:3000;",
      )
    }
  })

  test('asks nobody whose session is over, is a visit, or is their own', async () => {
    const { gateway, ada } = world
    const left = await gateway.signIn()
    await gateway.client(left.headers)(endCurrentSession)
    const visitor = await gateway.client()(createAnonymousSession)
    for (const jwt of [left.jwt, visitor.token, ada.jwt, 'nonsense']) {
      const headers = { cookie: `access-token=${jwt}` }
      expect((await openTicket(gateway, await newTicket(), { headers })).status).toBe(303)
    }
  })

  test('keeps a visitor a visitor', async () => {
    const { gateway } = world
    const visitor = await gateway.client()(createAnonymousSession)
    const response = await openTicket(gateway, await newTicket({ authorization: `Bearer ${visitor.token}` }))
    expect(cookieClaims(response)).toMatchObject({ sub: visitor.userId, client_id: 'local-client-id' })
    const rows = await gateway.database.many(sql`
      select anonymous from gateway.sessions where id = ${String(cookieClaims(response)?.prismeaiSessionId)}`)
    expect(rows).toEqual([{ anonymous: true }])
  })
})
