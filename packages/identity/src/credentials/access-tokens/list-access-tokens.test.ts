import { createAnonymousSession, listAccessTokens } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createFor, startWithAda, type WithAda } from '../../../test/access-tokens.ts'

let world: WithAda
let gateway: WithAda['gateway']
let ada: WithAda['ada']
beforeAll(async () => {
  world = await startWithAda()
  ;({ gateway, ada } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

const create = (who = ada, name?: string) => createFor(gateway, who, name)

describe('listing access tokens', () => {
  test('shows one’s own, newest first, never the token', async () => {
    const bob = await gateway.signIn({ userId: 'bob' })
    const [first, second] = [await create(bob, 'one'), await create(bob, 'two')]
    const tokens = await gateway.client(bob.headers)(listAccessTokens)
    expect(tokens.map(({ _id }) => _id)).toEqual([second._id, first._id])
    expect(JSON.stringify(tokens)).not.toMatch(/at:[0-9A-Za-z]{20}|hash/)
  })

  test('pages with a Link to the next page until there is none', async () => {
    const carol = await gateway.signIn({ userId: 'carol' })
    for (const name of ['one', 'two', 'three']) await create(carol, name)
    const seen: string[][] = []
    let path: string | undefined = '/v2/user/accessTokens?limit=2'
    while (path !== undefined) {
      const response = await fetch(gateway.url + path, { headers: carol.headers })
      seen.push(((await response.json()) as { name: string }[]).map(({ name }) => name))
      path = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
    }
    expect(seen).toEqual([['three', 'two'], ['one']])
  })

  test('shows twenty unless told', async () => {
    const dora = await gateway.signIn({ userId: 'dora' })
    await gateway.database.many(sql`
      insert into gateway.access_tokens (user_id, name, token_hash, expires_at)
      select 'dora', 'token ' || n, 'dora ' || n, now() + interval '1 hour' from generate_series(1, 21) n`)
    expect(await gateway.client(dora.headers)(listAccessTokens)).toHaveLength(20)
    expect(await gateway.client(dora.headers)(listAccessTokens, { query: { limit: '100' } })).toHaveLength(21)
  })

  test.each(['limit=0', 'limit=101', 'page=-1', 'colour=red'])('refuses ?%s', async (query) => {
    const response = await fetch(`${gateway.url}/v2/user/accessTokens?${query}`, { headers: ada.headers })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'RequestValidationError' })
  })

  test('needs a sign-in: nobody, a visitor and an access token may not', async () => {
    const visitor = await gateway.client()(createAnonymousSession)
    const { token } = await create()
    const attempt = (headers: Record<string, string>) => gateway.client(headers)(listAccessTokens)
    await expect(attempt({})).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
    await expect(attempt(bearer(visitor.token))).rejects.toMatchObject({
      name: 'ForbiddenError',
      status: 403,
    })
    await expect(attempt(bearer(token))).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
  })

  test('is empty for who has none', async () => {
    const newcomer = await gateway.signIn()
    expect(await gateway.client(newcomer.headers)(listAccessTokens)).toEqual([])
  })
})
