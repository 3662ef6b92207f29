import { createAnonymousSession, getMe, revokeAccessToken } from '@platform/contracts'
import { promptly } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createFor, startWithAda, type WithAda } from '../../../test/access-tokens.ts'
import { startIdentity } from '../../../test/start-identity.ts'

let world: WithAda
let gateway: WithAda['gateway']
let ada: WithAda['ada']
beforeAll(async () => {
  world = await startWithAda()
  ;({ gateway, ada } = world)
})
afterAll(() => world[Symbol.asyncDispose]())

const create = (who = ada, name?: string) => createFor(gateway, who, name)

describe('revoking an access token', () => {
  test('ends it everywhere within a second', async () => {
    await using other = await startIdentity({ databaseUrl: gateway.databaseUrl })
    const { token, _id } = await create()
    for (const at of [gateway, other]) await at.client(bearer(token))(getMe)
    const revoked = await gateway.client(ada.headers)(revokeAccessToken, { params: { accessTokenId: _id } })
    expect(revoked).toMatchObject({ _id, userId: 'ada' })
    for (const at of [gateway, other]) {
      const refused = () => expect(at.client(bearer(token))(getMe)).rejects.toMatchObject({ status: 401 })
      await promptly(1000, refused)
    }
  })

  test('answers the same 404 for a token of somebody else and for none', async () => {
    const bob = await gateway.signIn()
    const { _id, token } = await create()
    const attempt = async (id: string) => {
      const response = await fetch(`${gateway.url}/v2/user/accessTokens/${id}`, {
        method: 'DELETE',
        headers: bob.headers,
      })
      return [response.status, await response.text()]
    }
    const foreign = await attempt(_id)
    expect(foreign[0]).toBe(404)
    expect(await attempt('11111111-1111-4111-8111-111111111111')).toEqual(foreign)
    expect(await attempt('nonsense')).toEqual(foreign)
    expect(await attempt(encodeURIComponent(token))).toEqual(foreign)
    expect(await gateway.client(bearer(token))(getMe)).toMatchObject({ id: 'ada' })
    await expect(
      gateway.client()(revokeAccessToken, { params: { accessTokenId: _id } }),
    ).rejects.toMatchObject({ status: 401 })
  })

  test('is not for visitors nor for access tokens', async () => {
    const visitor = await gateway.client()(createAnonymousSession)
    const { _id, token } = await create()
    for (const credential of [visitor.token, token]) {
      const attempt = gateway.client(bearer(credential))(revokeAccessToken, {
        params: { accessTokenId: _id },
      })
      await expect(attempt).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
    }
    expect(await gateway.client(bearer(token))(getMe)).toMatchObject({ id: 'ada' })
  })
})
