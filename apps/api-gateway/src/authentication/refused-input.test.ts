import {
  ADMIN,
  authorizationOf,
  Browser,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

let gateway: TestGateway
let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  gateway = await startGateway()
  database = await identityDatabase()
  server = await startIdentityServer({ database })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const FORM = 'application/x-www-form-urlencoded'
const refused = (error: string) => ({ error, message: expect.stringMatching(/^[A-Z].*\.$/) })

async function expectRefused(response: Response, status: number, error: string) {
  expect([response.status, response.headers.get('content-type')]).toEqual([
    status,
    'application/json; charset=utf-8',
  ])
  expect(await response.json()).toMatchObject(refused(error))
  expect(response.headers.get('x-correlation-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/)
  expect(response.headers.get('cache-control')).toBe('no-store')
}

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': FORM, ...headers },
    body: new Uint8Array(Buffer.from(body)),
  })

describe('a query that no store can keep', () => {
  it.each([
    '/oidc/auth?client_id=%00',
    '/oidc/auth?client_id=local-client-id&response_type=code&scope=openid&state=%00',
    '/oidc/auth?client_id=local-client-id&nonce=a%00b',
    '/oidc/auth?login_hint=%00',
    '/oidc/session/end?client_id=%00',
    '/oidc/session/end?state=%00',
    '/oidc/auth?%00=1',
    '/oidc/auth?state=%ff',
    '/oidc/auth?state=%c0%80',
    '/oidc/auth?state=%zz',
    '/oidc/auth?state=%4',
    '/signin?ui_locales=%00',
    '/.well-known/openid-configuration?%00',
    '/v2/readiness?services=%00',
    '/v2/workspaces?name=%00',
  ])('is refused at %s', async (path) => {
    await expectRefused(await fetch(gateway.url + path), 400, 'RequestValidationError')
  })

  it.each(['?state=%C3%A9', '?state=a+b%20c', '?state=%2500', '?'])('while %s is read', async (query) => {
    const response = await fetch(`${gateway.url}/${query}`)
    expect(response.status).toBe(200)
  })
})

describe('a key of meta with a slash', () => {
  it('is refused, because the path is ambiguous', async () => {
    const { headers } = await gateway.signIn()
    const response = await fetch(`${gateway.url}/v2/user/meta/a%2Fb`, { method: 'DELETE', headers })
    await expectRefused(response, 400, 'RequestValidationError')
  })
})

describe('a form that no store can keep', () => {
  const paths = ['/oidc/token', '/oidc/token/introspection', '/oidc/token/revocation']
  const everywhere = [...paths, '/oidc/session/end/confirm', '/oidc/me']

  it.each(everywhere)('is refused at %s', async (path) => {
    for (const body of [
      'client_id=%00&token=a',
      'token=a%00b',
      'token=a&%00=1',
      'token=a\0b',
      'token=a&state=%00',
    ])
      await expectRefused(await post(path, body), 400, 'RequestValidationError')
  })

  it.each(everywhere)('is refused at %s when it is too large or no UTF-8', async (path) => {
    await expectRefused(await post(path, `a=${'x'.repeat(65_536)}`), 413, 'PayloadTooLarge')
    await expectRefused(await post(path, Buffer.from([0x61, 0x3d, 0xff])), 400, 'RequestValidationError')
  })

  it('is found whatever charset it claims', async () => {
    const body = Buffer.from('client_id=%00', 'utf16le')
    const headers = { 'content-type': `${FORM}; charset=utf-16le` }
    await expectRefused(await post('/oidc/token', body, headers), 400, 'RequestValidationError')
  })

  it('is refused by what OAuth says when the NUL is in the credentials of the client', async () => {
    const authorization = `Basic ${Buffer.from('%00:secret').toString('base64')}`
    const response = await post('/oidc/token', 'grant_type=authorization_code&code=a', { authorization })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  })

  it('is answered with a page where a browser asks', async () => {
    const response = await post('/oidc/session/end/confirm', 'xsrf=%00', { accept: 'text/html,*/*;q=0.8' })
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(await response.text()).toContain('NUL')
  })

  it('is refused by the sign-in page', async () => {
    const browser = new Browser()
    const page = await browser.visit(authorizationOf(server).url)
    for (const fields of [
      { login: 'a\0b', password: ADMIN.password },
      { login: ADMIN.email, password: 'a\0b' },
    ]) {
      const answered = await browser.submit(page, fields)
      expect([answered.status, answered.headers.get('content-type')]).toEqual([
        400,
        'text/html; charset=utf-8',
      ])
    }
  })

  it('leaves what is no form to the server', async () => {
    const response = await post('/oidc/token', '{"client_id":"\\u0000"}', {
      'content-type': 'application/json',
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'invalid_request' })
  })
})
