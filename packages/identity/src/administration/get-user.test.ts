import { createAccessToken, createAnonymousSession, getUser } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPeople } from '../../test/people.ts'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let root: SignedIn
let ada: SignedIn
beforeAll(async () => {
  gateway = await startIdentity()
  ;({ root, ada } = await startPeople(gateway))
})
afterAll(() => gateway[Symbol.asyncDispose]())

const get = (headers: Record<string, string>, userId: string) =>
  gateway.client(headers)(getUser, { params: { userId } })

describe('GET /v2/users/:userId', () => {
  test('shows an account to a super administrator and to its owner, also by access token', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    for (const headers of [root.headers, ada.headers, { authorization: `Bearer ${token}` }])
      expect(await get(headers, ada.userId)).toMatchObject({
        id: ada.userId,
        email: `${ada.userId}@example.com`,
        status: 'validated',
        mfa: 'none',
      })
  })

  test('another account answers others byte for byte as a missing one', async () => {
    const ask = async (userId: string) => {
      const response = await fetch(`${gateway.url}/v2/users/${userId}`, { headers: ada.headers })
      return [response.status, await response.text()]
    }
    const [status, text] = await ask(root.userId)
    expect(status).toBe(404)
    expect(await ask('nobody')).toEqual([status, text])
    await expect(get(root.headers, 'nobody')).rejects.toMatchObject({ name: 'ObjectNotFoundError' })
  })

  test('nobody is 401, a visitor sees only itself', async () => {
    await expect(get({}, ada.userId)).rejects.toMatchObject({ status: 401 })
    const visitor = await gateway.client()(createAnonymousSession)
    const headers = { authorization: `Bearer ${visitor.token}` }
    await expect(get(headers, ada.userId)).rejects.toMatchObject({ status: 404 })
    expect((await get(headers, visitor.userId)).authData).toEqual({ anonymous: {} })
  })

  test('a path that is none is refused', async () => {
    const response = await fetch(`${gateway.url}/v2/users/%E0%A4%A`, { headers: ada.headers })
    expect(response.status).toBe(400)
  })
})
