import { createAccessToken, createAnonymousSession, listSessions } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { me } from '../../test/sessions.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'
import { deviceOf } from './list-sessions.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
  'Version/17.5 Mobile/15E148 Safari/604.1'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('the list of own sessions', () => {
  test('shows those that live with device, application and place, and which one asks', async () => {
    const userId = uuidv7()
    const [here, there, ended, over] = [
      await gateway.signIn({ userId }),
      await gateway.signIn({ userId }),
      await gateway.signIn({ userId }),
      await gateway.signIn({ userId }),
    ]
    await gateway.signIn()
    await gateway.database.many(sql`
      update gateway.sessions set user_agent = ${FIREFOX}, ip = '192.0.2.7', client_name = 'Console'
      where id = ${there.sessionId}`)
    await gateway.database.many(
      sql`update gateway.sessions set ended_at = now() where id = ${ended.sessionId}`,
    )
    await gateway.database.many(sql`
      update gateway.sessions set expires_at = now() - interval '1 second' where id = ${over.sessionId}`)
    const sessions = await gateway.client(here.headers)(listSessions)
    expect(sessions.map(({ id, current }) => [id, current]).toSorted()).toEqual(
      [
        [here.sessionId, true],
        [there.sessionId, false],
      ].toSorted(),
    )
    expect(sessions.find(({ id }) => id === there.sessionId)).toEqual({
      id: there.sessionId,
      current: false,
      clientId: 'local-client-id',
      clientName: 'Console',
      device: 'Firefox on Linux',
      ip: '192.0.2.7',
      createdAt: expect.any(String),
      lastUsedAt: null,
      expiresAt: expect.any(String),
    })
  })

  test('tells last use and its place, the latest used first', async () => {
    const userId = uuidv7()
    const idle = await gateway.signIn({ userId })
    const used = await gateway.signIn({ userId })
    await gateway.database.many(sql`
      update gateway.sessions set created_at = now() - interval '1 hour' where user_id = ${userId}`)
    for (let count = 0; count < 5; count += 1) await me(gateway, used)
    const list = () => gateway.client(idle.headers)(listSessions)
    await vi.waitFor(
      async () =>
        expect((await list()).find(({ id }) => id === used.sessionId)).toMatchObject({
          lastUsedAt: expect.any(String),
          ip: '127.0.0.1',
        }),
      { timeout: 8000 },
    )
    await vi.waitFor(async () => expect((await list())[0]?.lastUsedAt).toEqual(expect.any(String)), {
      timeout: 8000,
    })
    const before = await list()
    await me(gateway, used)
    expect((await list()).find(({ id }) => id === used.sessionId)?.lastUsedAt).toBe(
      before.find(({ id }) => id === used.sessionId)?.lastUsedAt,
    )
  })

  test('comes in pages, and refuses what is no page', async () => {
    const userId = uuidv7()
    const who = await gateway.signIn({ userId })
    for (let count = 0; count < 2; count += 1) await gateway.signIn({ userId })
    const get = (query: string) => fetch(`${gateway.url}/v2/user/sessions?${query}`, { headers: who.headers })
    const pages = [await get('limit=2'), await get('limit=2&page=1')]
    expect(pages[0]?.headers.get('link')).toContain('page=1')
    expect(pages[1]?.headers.get('link')).toBeNull()
    const ids = await Promise.all(pages.map(async (page) => (await page.json()) as { id: string }[]))
    expect(new Set(ids.flat().map(({ id }) => id)).size).toBe(3)
    for (const query of ['limit=0', 'limit=101', 'page=-1', 'userId=x'])
      expect((await get(query)).status, query).toBe(400)
  })

  test('is for people and visitors, not for nobody nor an access token', async () => {
    const visitor = await gateway.client()(createAnonymousSession)
    const list = (headers: Record<string, string>) => gateway.client(headers)(listSessions)
    expect(await list({ authorization: `Bearer ${visitor.token}` })).toMatchObject([
      { id: visitor.sessionId, current: true },
    ])
    await expect(list({})).rejects.toMatchObject({ status: 401 })
    const { headers } = await gateway.signIn()
    const body = { name: 'ci', expiresAt: new Date(Date.now() + 60_000).toISOString() }
    const { token } = await gateway.client(headers)(createAccessToken, { body })
    await expect(list({ authorization: `Bearer ${token}` })).rejects.toMatchObject({ status: 403 })
  })
})

describe('what was used last', () => {
  test('is written when the gateway stops', async () => {
    const { databaseUrl } = gateway
    const short = await startIdentity({ databaseUrl })
    const who = await gateway.signIn()
    await me(short, who)
    await short[Symbol.asyncDispose]()
    const [row] = await gateway.database.many<{ lastUsedAt: Date | null }>(sql`
      select last_used_at as "lastUsedAt" from gateway.sessions where id = ${who.sessionId}`)
    expect(row?.lastUsedAt).toBeInstanceOf(Date)
  })
})

describe('a device', () => {
  test.each([
    [FIREFOX, 'Firefox on Linux'],
    [SAFARI, 'Safari on iOS'],
    ['curl/8.5.0', 'curl'],
    ['node', 'node'],
    ['', 'Unknown device'],
    [null, 'Unknown device'],
    ['<script>alert(1)</script>', 'Unknown device'],
    ['('.repeat(300), 'Unknown device'],
  ])('%s is %s', (userAgent, device) => expect(deviceOf(userAgent)).toBe(device))
})
