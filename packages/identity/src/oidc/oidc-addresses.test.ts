import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  gateway = await startIdentity()
  database = await identityDatabase()
  server = await startIdentityServer({ database })
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

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

describe('what is not there under /oidc', () => {
  it.each([
    ['GET', '/oidc'],
    ['GET', '/oidc/'],
    ['GET', '/oidc/nope'],
    ['POST', '/oidc/nope'],
    ['POST', '/oidc/reg'],
    ['GET', '/oidc/interaction/a%27b'],
    ['GET', '/.well-known/nope'],
  ])('%s %s is 404', async (method, path) => {
    await expectRefused(await fetch(gateway.url + path, { method }), 404, 'ObjectNotFoundError')
  })

  it.each([
    ['GET', '/oidc/token', 'POST, OPTIONS'],
    ['PUT', '/oidc/token', 'POST, OPTIONS'],
    ['GET', '/oidc/token/', 'POST, OPTIONS'],
    ['GET', '/oidc/token/revocation', 'POST, OPTIONS'],
    ['GET', '/oidc/token/introspection', 'POST, OPTIONS'],
    ['GET', '/oidc/session/end/confirm', 'POST'],
    ['DELETE', '/oidc/auth', 'GET, HEAD'],
    ['DELETE', '/oidc/session/end', 'GET, HEAD'],
    ['DELETE', '/oidc/me', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/oidc/interaction/abc', 'GET'],
    ['GET', '/oidc/interaction/abc/login', 'POST'],
    ['POST', '/oidc/.well-known/openid-configuration', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405', async (method, path, allow) => {
    const response = await fetch(gateway.url + path, { method })
    expect(response.headers.get('allow')).toBe(allow)
    await expectRefused(response, 405, 'MethodNotAllowed')
  })

  it.each([
    ['GET', '/oidc/nope', 404],
    ['GET', '/oidc/token', 405],
  ])('is a page for a browser: %s %s', async (method, path, status) => {
    const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    const response = await fetch(gateway.url + path, { method, headers })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      status,
      'text/html; charset=utf-8',
    ])
    expect(await response.text()).toContain(response.headers.get('x-correlation-id'))
  })

  it.each(['/oidc/token', '/oidc/me', '/oidc/jwks', '/oidc/.well-known/openid-configuration'])(
    'leaves OPTIONS of %s to the server',
    async (path) => {
      const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'GET' }
      expect((await fetch(gateway.url + path, { method: 'OPTIONS', headers })).status).toBe(204)
    },
  )

  it('is nothing that the discovery document names', async () => {
    const document = await (await fetch(`${server.settings.issuer}/.well-known/openid-configuration`)).json()
    const named = Object.entries(document as Record<string, unknown>)
    const urls = named.flatMap(([name, url]) => (/_(endpoint|uri)$/.test(name) ? [String(url)] : []))
    expect(urls.length).toBeGreaterThan(5)
    const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status))
    expect(statuses).not.toContain(404)
  })

  it('has no body where HEAD asks', async () => {
    const response = await fetch(`${gateway.url}/oidc/nope`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([404, ''])
  })
})

describe('an error past the words of the OIDC server', () => {
  it('is in our shape too', async () => {
    const lost = await identityDatabase()
    await using other = await startIdentityServer({ database: lost })
    await lost[Symbol.asyncDispose]()
    const at = `${other.origin}/oidc/session/end?client_id=gateway-signin`
    const response = await fetch(at)
    expect(response.headers.get('retry-after')).toBe('1')
    await expectRefused(response, 503, 'ServiceUnavailable')
    const page = await fetch(at, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
  })
})
