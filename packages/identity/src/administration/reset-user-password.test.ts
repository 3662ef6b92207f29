import { resetUserPassword } from '@platform/contracts'
import { createClient } from '@platform/service-client'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorizationOf, Browser, redeem, redeemCode, returnedTo } from '../../test/sign-in.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const operator = () => createClient(server.origin, { 'x-test-internal': 'yes' })

describe('resetting a password', () => {
  it('answers a new password once, ends every session and forgets every browser', async () => {
    const browser = new Browser()
    const authorization = authorizationOf(server, { scope: 'openid offline_access' })
    const form = await browser.visit(authorization.url)
    const back = await browser.submit(form, { login: ADMIN.email, password: ADMIN.password })
    const { body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
    const session = String(decodeJwt(String(body.access_token)).prismeaiSessionId)
    expect(await server.sessions.find(session)).toBeDefined()

    const reset = await operator()(resetUserPassword, { body: { email: ADMIN.email.toUpperCase() } })

    expect(reset).toMatchObject({
      email: ADMIN.email,
      userId: expect.any(String),
      password: expect.stringMatching(/^.{23}$/),
    })
    expect(await server.sessions.find(session)).toBeUndefined()
    const refresh = {
      grant_type: 'refresh_token',
      client_id: 'local-client-id',
      refresh_token: String(body.refresh_token),
    }
    expect((await redeem(server, refresh)).status).toBe(400)
    const again = await browser.visit(authorizationOf(server).url)
    expect(again.text).toContain('type="password"')
    expect((await browser.submit(again, { login: ADMIN.email, password: ADMIN.password })).status).toBe(401)
    const done = await browser.submit(again, { login: ADMIN.email, password: reset.password })
    expect(returnedTo(done).get('code')).toMatch(/./)
  })

  it('answers 404 for an address nobody has', async () => {
    const attempt = operator()(resetUserPassword, { body: { email: 'nobody@example.com' } })
    await expect(attempt).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
  })

  it('needs the internal key', async () => {
    const attempt = createClient(server.origin)(resetUserPassword, { body: { email: ADMIN.email } })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  it('refuses a body without an address', async () => {
    const attempt = operator()(resetUserPassword, { body: { email: '' } })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })
})
