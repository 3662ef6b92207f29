import { createAnonymousSession, deleteMeta, mergeMeta } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let ada: SignedIn
beforeAll(async () => {
  gateway = await startIdentity()
  ada = await gateway.signIn()
})
afterAll(() => gateway[Symbol.asyncDispose]())

const merge = (body: Record<string, unknown>) => gateway.client(ada.headers)(mergeMeta, { body })
const remove = (key: string, headers: Record<string, string> = ada.headers) =>
  gateway.client(headers)(deleteMeta, { params: { key } })

describe('DELETE /v2/user/meta/:key', () => {
  test('removes one key, once', async () => {
    await merge({ 'a key with ü': 1, stays: 2 })
    expect(await remove('a key with ü')).not.toHaveProperty('a key with ü')
    expect(await merge({})).toMatchObject({ stays: 2 })
    await expect(remove('a key with ü')).rejects.toMatchObject({ name: 'ObjectNotFoundError' })
  })

  test('what every object has is no key', async () => {
    for (const key of ['__proto__', 'constructor', 'toString'])
      await expect(remove(key)).rejects.toMatchObject({ status: 404 })
  })

  test('needs an account: nobody is 401, a visitor 403', async () => {
    await expect(remove('stays', {})).rejects.toMatchObject({ status: 401 })
    const visitor = await gateway.client()(createAnonymousSession)
    const headers = { authorization: `Bearer ${visitor.token}` }
    await expect(remove('stays', headers)).rejects.toMatchObject({ status: 403 })
  })
})
