import { createAccessToken, createAnonymousSession } from '@platform/contracts'
import { raw, sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createFor, inSeconds, startWithAda, type WithAda } from '../../../test/access-tokens.ts'
import { startIdentity } from '../../../test/start-identity.ts'

let world: WithAda
let gateway: WithAda['gateway']
let ada: WithAda['ada']
beforeAll(async () => {
  world = await startWithAda()
  ;({ gateway, ada } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

const post = (body: unknown) =>
  fetch(`${gateway.url}/v2/user/accessTokens`, {
    method: 'POST',
    headers: { ...ada.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
const create = (who = ada, name?: string) => createFor(gateway, who, name)

describe('an Idempotency-Key', () => {
  test('makes one token, whose secret is neither kept nor shown again', async () => {
    const eve = await gateway.signIn()
    const body = JSON.stringify({ name: 'once', expiresAt: inSeconds(600) })
    const ask = () =>
      fetch(`${gateway.url}/v2/user/accessTokens`, {
        method: 'POST',
        headers: { ...eve.headers, 'content-type': 'application/json', 'idempotency-key': 'once' },
        body,
      })
    const made = (await (await ask()).json()) as { _id: string; token: string }
    const again = await ask()
    expect([again.status, await again.json()]).toEqual([
      409,
      { error: 'AlreadyCreated', message: expect.stringContaining(made._id), details: { _id: made._id } },
    ])
    const rows = JSON.stringify(
      await gateway.database.many(sql`select r::text from idempotency.requests as r`),
    )
    expect(rows).toContain(made._id)
    expect(rows).not.toContain(made.token.slice(3))
    const [{ count }] = (await gateway.database.many<{ count: number }>(
      sql`select count(*)::int as count from gateway.access_tokens where user_id = ${eve.userId}`,
    )) as [{ count: number }]
    expect(count).toBe(1)
  })
})

describe('the number of access tokens', () => {
  test('is limited for a user, exactly and also at once; an expired one does not count', async () => {
    await using few = await startIdentity({ env: { ACCESS_TOKENS_PER_USER_MAX: '3' } })
    const eve = await few.signIn()
    await few.database.many(sql`
      insert into gateway.access_tokens (user_id, name, token_hash, expires_at)
      values (${eve.userId}, 'old', 'the hash of an old one', now() - interval '1 second')`)
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => createFor(few, eve)))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    await expect(createFor(few, eve)).rejects.toMatchObject({
      name: 'ForbiddenError',
      message: 'You have 3 access tokens, as many as one may have: revoke some first.',
    })
    await createFor(few, await few.signIn())
  })
})

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
    '2000-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    new Date().toISOString(),
    inSeconds(-1),
    inSeconds(2_592_000 + 60),
    '9999-12-31T23:59:59Z',
    '10000-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    'Infinity',
    'NaN',
    'never',
    '',
    null,
    true,
    1_900_000_000,
    1_900_000_000_000,
    [inSeconds(60)],
    { valueOf: inSeconds(60) },
    inSeconds(60).slice(0, 10),
    inSeconds(60).replace('Z', ''),
    inSeconds(60).replace('T', ' '),
    inSeconds(60).replace('Z', ' UTC'),
    inSeconds(60).replace('Z', '+25:00'),
    inSeconds(60).replace('Z', '+2:00'),
    '2030-02-30T00:00:00Z',
    '2030-13-01T00:00:00Z',
    new Date(Date.now() + 60_000).toString(),
    // Another time zone changes nothing: this is an hour ago.
    new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+02:00'),
  ])('refuses to last until %j', async (expiresAt) => {
    const response = await post({ name: 'ci', expiresAt })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      400,
      'RequestValidationError',
    ])
  })

  test.each([1, 60, 2_592_000 - 60])('lasts %d seconds when it is asked to', async (seconds) => {
    const { status } = await post({ name: 'ci', expiresAt: inSeconds(seconds) })
    expect(status).toBe(200)
  })

  test.each([
    { name: 'ci' },
    { name: '', expiresAt: inSeconds(60) },
    { name: '   ', expiresAt: inSeconds(60) },
    { expiresAt: inSeconds(60) },
    { name: 'ci', expiresAt: inSeconds(60), userId: 'root' },
  ])('refuses %j', async (body) => {
    const response = await post(body)
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      400,
      'RequestValidationError',
    ])
  })

  test('is audited without the token, which no table holds', async () => {
    const { token, _id } = await create(ada, 'canary')
    const rows = await gateway.database.many(sql`
      select action, actor, details from audit.entries where subject = ${`accessToken:${_id}`}`)
    expect(rows).toMatchObject([{ action: 'accessToken.created', actor: 'user:ada' }])
    const tables = await gateway.database.many<{ name: string }>(sql`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`)
    expect(tables.length).toBeGreaterThan(10)
    for (const { name } of tables) {
      const dump = JSON.stringify(await gateway.database.many(sql`select * from ${raw(name)}`))
      expect(dump.includes(token.slice(3)), name).toBe(false)
    }
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
