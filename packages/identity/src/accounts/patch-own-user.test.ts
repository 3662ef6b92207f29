import { createAccessToken, createAnonymousSession, getMe, patchOwnUser } from '@platform/contracts'
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

const edit = (body: object, headers: Record<string, string> = ada.headers) =>
  gateway.client(headers)(patchOwnUser, { body: body as never })

describe('PATCH /v2/user', () => {
  test('edits what is named and leaves the rest; null takes away', async () => {
    const before = await edit({ firstName: 'Zoë', lastName: 'O’Ng'.replace('’', "'"), language: 'fr' })
    expect(before).toMatchObject({ firstName: 'Zoë', lastName: "O'Ng", language: 'fr' })
    const photo = 'https://pictures.example/ada.png'
    const after = await edit({ language: null, photo, meta: { theme: 'dark', seen: [1] } })
    expect(after).toMatchObject({ firstName: 'Zoë', photo, meta: { theme: 'dark', seen: [1] } })
    expect(after.language).toBeUndefined()
    expect(await edit({ meta: {} })).toMatchObject({ meta: {}, photo })
    expect((await edit({ photo: null })).photo).toBeUndefined()
    expect((await gateway.client(ada.headers)(getMe)).firstName).toBe('Zoë')
  })

  test.each([
    { email: 'new@example.com' },
    { status: 'validated' },
    { platformRole: 'superAdmin' },
    { authData: {} },
    { firstName: '' },
    { firstName: 'x'.repeat(61) },
    { photo: 'javascript:alert(1)' },
    { language: 'klingon-language' },
    { meta: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 1])) },
    { meta: { big: 'x'.repeat(100_000) } },
  ])('refuses what is not for oneself to change: case %#', async (body) => {
    await expect(edit(body)).rejects.toMatchObject({ name: 'RequestValidationError' })
  })

  test('nobody is 401, a visitor and an access token 403', async () => {
    await expect(edit({ firstName: 'X' }, {})).rejects.toMatchObject({ status: 401 })
    const visitor = await gateway.client()(createAnonymousSession)
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    for (const credential of [visitor.token, token]) {
      const headers = { authorization: `Bearer ${credential}` }
      await expect(edit({ firstName: 'X' }, headers)).rejects.toMatchObject({ status: 403 })
    }
  })
})
