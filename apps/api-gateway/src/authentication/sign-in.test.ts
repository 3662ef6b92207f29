import { once } from 'node:events'
import { createServer } from 'node:net'
import { getMe, resetUserPassword } from '@platform/contracts'
import { sql } from '@platform/database'
import { authorizationOf, Browser, redeemCode, returnedTo } from '@platform/identity/testing'
import { createClient } from '@platform/service-client'
import { startTestService, TEST_INTERNAL_KEY, type TestService } from '@platform/testing'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiGateway } from '../service.ts'

const credentials = { login: 'root@example.com', password: 'correct horse battery' }

let gateway: TestService
let origin: string
beforeAll(async () => {
  const port = await freePort()
  origin = `http://localhost:${port}`
  gateway = await startTestService(apiGateway, {
    env: {
      PORT: String(port),
      API_URL: `${origin}/v2`,
      ADMIN_EMAIL: credentials.login,
      ADMIN_PASSWORD: credentials.password,
    },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** The issuer is part of the configuration, so the port must be known before the gateway listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function signedIn() {
  const browser = new Browser()
  const done = await browser.submit(await browser.visit(`${origin}/signin`), credentials)
  return { browser, done, token: browser.cookies.get('access-token')?.value ?? '' }
}

const asCookie = (token: string) => ({ cookie: `access-token=${token}` })
const asBearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('a sign-in at the whole gateway', () => {
  it('has passwords hashed with 19 MiB and two passes, as it is shipped', async () => {
    const rows = await gateway.database.many<{ hash: string }>(
      sql`select password_hash as hash from gateway.users where password_hash is not null`,
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { hash } of rows) expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  it('gives a token that the API takes as bearer and as cookie', async () => {
    const { done, token } = await signedIn()
    expect(done.url).toBe(`${origin}/signin/callback`)
    expect(done.text).toContain('Super administrator')
    for (const headers of [asBearer(token), asCookie(token)]) {
      const me = await createClient(origin, headers)(getMe)
      expect(me).toMatchObject({ email: credentials.login, platformRole: 'superAdmin', status: 'validated' })
      expect(me.sessionId).toBe(decodeJwt(token).prismeaiSessionId)
    }
  })

  it('gives the console a token that the API takes', async () => {
    const server = { settings: { issuer: `${origin}/oidc` }, consoleSignIn: 'http://localhost:3000/signin' }
    const browser = new Browser()
    const authorization = authorizationOf(server)
    const back = await browser.submit(await browser.visit(authorization.url), credentials)
    const { status, body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
    expect(status).toBe(200)
    const me = await createClient(origin, asBearer(String(body.access_token)))(getMe)
    expect(me.email).toBe(credentials.login)
  })

  it('goes on with a token in the cookie that is worth nothing any more', async () => {
    const browser = new Browser()
    browser.cookies.set('access-token', { value: 'rubbish', path: '/' })
    const page = await browser.visit(`${origin}/signin`)
    expect(page.status).toBe(200)
    expect((await browser.submit(page, credentials)).url).toBe(`${origin}/signin/callback`)
  })

  it('ends at the API with signing out', async () => {
    const { browser, token } = await signedIn()
    const question = await browser.visit(`${origin}/oidc/session/end?client_id=gateway-signin`)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? ''
    await browser.submit(question, { xsrf, logout: 'yes' })
    const attempt = createClient(origin, asBearer(token))(getMe)
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  it('ends at the API with a password reset by the operator', async () => {
    const { token } = await signedIn()
    const operator = createClient(origin, { 'x-platform-api-key': TEST_INTERNAL_KEY })
    const asUser = createClient(origin, asBearer(token))(resetUserPassword, {
      body: { email: credentials.login },
    })
    await expect(asUser).rejects.toMatchObject({ name: 'ForbiddenError', status: 403 })
    const { password } = await operator(resetUserPassword, { body: { email: credentials.login } })
    const attempt = createClient(origin, asBearer(token))(getMe)
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
    credentials.password = password
    expect((await signedIn()).done.status).toBe(200)
  })

  it('serves the key set and both discovery documents', async () => {
    const document = await (await fetch(`${origin}/.well-known/openid-configuration`)).json()
    expect(document).toMatchObject({ issuer: `${origin}/oidc`, jwks_uri: `${origin}/oidc/jwks` })
    const keys = (await (await fetch(`${origin}/oidc/jwks`)).json()) as { keys: object[] }
    expect(keys.keys.length).toBeGreaterThan(0)
    expect(JSON.stringify(keys)).not.toMatch(/"(d|p|q|dp|dq|qi)"/)
  })
})
