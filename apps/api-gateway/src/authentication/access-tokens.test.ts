import { getMe, listAccessTokens } from '@platform/contracts'
import { sql } from '@platform/database'
import { bearer, createFor } from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startWithAda, type WithAda } from '../../test/operations.ts'

let world: WithAda
let service: WithAda['service']
let gateway: WithAda['gateway']
let ada: WithAda['ada']
beforeAll(async () => {
  world = await startWithAda()
  ;({ service, gateway, ada } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

const create = (who = ada, name?: string) => createFor(gateway, who, name)

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
