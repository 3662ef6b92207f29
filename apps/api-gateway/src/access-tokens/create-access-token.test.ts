import { createAccessToken, createAnonymousSession } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createFor, inSeconds, startWithAda, type WithAda } from './testing.ts'

let world: WithAda
let gateway: WithAda['gateway']
let ada: WithAda['ada']
beforeAll(async () => {
  world = await startWithAda()
  ;({ gateway, ada } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

const create = (who = ada, name?: string) => createFor(gateway, who, name)

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
