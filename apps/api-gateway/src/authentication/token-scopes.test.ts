import { createAccessToken, listAccessTokens, resourceScopes, revokeAccessToken } from '@platform/contracts'
import { sql } from '@platform/database'
import { bearer, createFor, inSeconds } from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWithAda, type WithAda } from '../../test/operations.ts'

let world: WithAda
let gateway: WithAda['gateway']
beforeAll(async () => {
  world = await startWithAda()
  ;({ gateway } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

/** The scopes a service behind the gateway is told of. */
async function scopesWith(token: string) {
  const response = await fetch(`${gateway.url}/v2/workspaces`, { headers: bearer(token) })
  expect(response.status).toBe(200)
  return world.service.seen.at(-1)?.headers['x-platform-scope']
}

describe('the scopes of an access token', () => {
  test('has the scopes of the session that made it and no more; the list shows them', async () => {
    const app = await gateway.signIn({ clientId: 'local-client-id', scopes: ['events:read'] })
    const made = await createFor(gateway, app)
    expect(await scopesWith(made.token)).toBe('events:read')
    const listed = await gateway.client(app.headers)(listAccessTokens)
    expect(listed.map(({ scopes }) => scopes)).toEqual([['events:read']])
    const [entry] = await gateway.database.many(sql`
      select details::jsonb->'scopes' as scopes from audit.entries where subject = ${`accessToken:${made._id}`}`)
    expect(entry).toEqual({ scopes: ['events:read'] })
  })

  test('of a session with every scope has every scope', async () => {
    const { token } = await createFor(gateway, await gateway.signIn())
    expect(await scopesWith(token)).toBe(resourceScopes.join(' '))
  })

  test('of a session without any has none', async () => {
    const { token } = await createFor(gateway, await gateway.signIn({ scopes: [] }))
    expect(await scopesWith(token)).toBeUndefined()
  })

  test('can’t ask for more', async () => {
    const app = await gateway.signIn({ scopes: ['events:read'] })
    const response = await fetch(`${gateway.url}/v2/user/accessTokens`, {
      method: 'POST',
      headers: { ...app.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'more', expiresAt: inSeconds(60), scopes: ['workspaces:write'] }),
    })
    expect(response.status).toBe(400)
  })

  test('that was made before scopes were kept keeps what it could do', async () => {
    const eve = await gateway.signIn()
    const client = gateway.client(eve.headers)
    const { token, _id } = await client(createAccessToken, {
      body: { name: 'old', expiresAt: inSeconds(600) },
    })
    await gateway.database.many(sql`update gateway.access_tokens set scopes = null where id::text = ${_id}`)
    expect(await scopesWith(token)).toBe(resourceScopes.join(' '))
    const [listed] = await client(listAccessTokens)
    expect(listed?.scopes).toEqual(resourceScopes)
    const revoked = await client(revokeAccessToken, { params: { accessTokenId: _id } })
    expect(revoked.scopes).toEqual(resourceScopes)
  })
})
