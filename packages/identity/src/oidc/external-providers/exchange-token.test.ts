import { exchangeToken, getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { createClient } from '@platform/service-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaveFor, startWorld, unsigned, type World } from '../../../test/external-providers.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ RATE_LIMIT_DISABLED: 'false' })
})
afterAll(() => world[Symbol.asyncDispose]())

const exchange = (token: string, more: Record<string, unknown> = {}) =>
  fetch(`${world.origin}/v2/login/token-exchange`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'crooked', subject_token: token, ...more }),
  })

describe('exchanging a token', () => {
  it('swaps the id token of a provider that allows it for a session', async () => {
    const token = await world.crooked.sign({
      sub: 'mobile',
      email: 'mobile@example.com',
      email_verified: true,
    })
    const session = await createClient(world.origin)(exchangeToken, {
      body: {
        provider: 'crooked',
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        expiresAfter: 60,
      },
    })
    expect(session).toMatchObject({ email: 'mobile@example.com', status: 'validated', id: session.userId })
    expect(Date.parse(session.expires) - Date.now()).toBeLessThanOrEqual(60_000)
    const me = await createClient(world.origin, { authorization: `Bearer ${session.token}` })(getMe)
    expect(me).toMatchObject({ id: session.userId, sessionId: session.sessionId })
    const [row] = await world.gateway.database.many<{ details: string }>(
      sql`select details from audit.entries where subject = ${`session:${session.sessionId}`}`,
    )
    expect(JSON.parse(row?.details ?? '')).toMatchObject({ provider: 'crooked' })
  })

  it('asks for the keys of the provider once, not for each token', async () => {
    await exchange(await world.crooked.sign({}))
    const { jwks } = world.crooked.asked
    for (let index = 0; index < 5; index += 1)
      expect((await exchange(await world.crooked.sign({}))).status).toBe(200)
    expect(world.crooked.asked).toEqual({ token: 0, jwks })
  })

  it.each<[string, () => Promise<string> | string]>([
    ['another audience', () => world.crooked.sign({ aud: 'another' })],
    ['another issuer', () => world.crooked.sign({ iss: 'https://elsewhere.example' })],
    ['its time over', () => world.crooked.sign({ exp: 1_700_000_000 })],
    ['the signature of a stranger', () => world.crooked.sign({}, { stranger: true })],
    ['alg none', () => unsigned({ iss: world.crooked.url, aud: 'platform', sub: 'eve' })],
    ['no shape', () => 'garbage'],
    ['five parts', () => 'a.b.c.d.e'],
  ])('refuses a token with %s', async (_what, tokenOf) => {
    const response = await exchange(await tokenOf())
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'InvalidOrExpiredToken' }])
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  it('refuses a token that a browser was sent away for', async () => {
    const { nonce } = await leaveFor(world, 'crooked')
    expect((await exchange(await world.crooked.sign({ nonce }))).status).toBe(400)
    expect((await exchange(await world.crooked.sign({ nonce: 'of an app' }))).status).toBe(200)
  })

  it.each(['acme', 'closed', 'nobody'])('refuses the provider %s alike', async (provider) => {
    const response = await exchange(await world.crooked.sign({}), { provider })
    expect([response.status, await response.json()]).toEqual([
      403,
      { error: 'ForbiddenError', message: 'Tokens of this provider can’t be exchanged here.' },
    ])
  })

  it('refuses deactivated people', async () => {
    const { userId } = (await (await exchange(await world.crooked.sign({ sub: 'gone' }))).json()) as {
      userId: string
    }
    await world.gateway.database.many(
      sql`update gateway.users set status = 'deactivated' where id = ${userId}`,
    )
    expect((await exchange(await world.crooked.sign({ sub: 'gone' }))).status).toBe(403)
  })

  it.each([{ subject_token: '' }, { expiresAfter: 0 }, { grant_type: 'password' }, { other: 1 }])(
    'refuses %j',
    async (more) => {
      const response = await exchange('token', more)
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: 'RequestValidationError' },
      ])
    },
  )

  it('keeps the token nowhere', async () => {
    const token = await world.crooked.sign({ sub: 'canary' })
    await exchange(token)
    const rows = await world.gateway.database.many(sql`
      select details::text as text from audit.entries union all select auth_data::text from gateway.users`)
    expect(JSON.stringify(rows)).not.toContain(token.split('.')[2])
  })

  it('answers 60 a minute to one address', async () => {
    // A minute may end meanwhile, and the next one begins anew.
    let [last, asked] = [await exchange('garbage', { provider: 'nobody' }), 1]
    for (; last.status !== 429 && asked < 130; asked += 1)
      last = await exchange('garbage', { provider: 'nobody' })
    expect([last.status, last.headers.has('retry-after')]).toEqual([429, true])
  })
})
