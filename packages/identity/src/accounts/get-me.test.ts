import { createAnonymousSession, getMe } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /v2/me', () => {
  test('tells an account who it is, without an organization', async () => {
    const ada = await gateway.signIn({ userId: 'ada', superAdmin: true })
    const me = await gateway.client(ada.headers)(getMe)
    expect(me).toMatchObject({
      id: 'ada',
      email: 'ada@example.com',
      status: 'validated',
      platformRole: 'superAdmin',
      sessionId: ada.sessionId,
      org: null,
      permissions: [],
      organizations: [],
    })
    expect(Date.parse(me.expires) - Date.now()).toBeGreaterThan(3_500_000)
  })

  test('answers the CSRF token of the session, and is never cached', async () => {
    const ada = await gateway.signIn()
    const read = () => fetch(`${gateway.url}/v2/me`, { headers: { cookie: `access-token=${ada.jwt}` } })
    const [first, second] = [await read(), await read()]
    expect(first.headers.get('x-platform-csrf-token')).toMatch(/^[\w-]{43}$/)
    expect(second.headers.get('x-platform-csrf-token')).toBe(first.headers.get('x-platform-csrf-token'))
    expect(first.headers.get('cache-control')).toBe('no-store')
  })

  test('shows nothing secret', async () => {
    const visitor = await gateway.client()(createAnonymousSession)
    const text = await (
      await fetch(`${gateway.url}/v2/me`, { headers: { authorization: `Bearer ${visitor.token}` } })
    ).text()
    expect(text).not.toMatch(/password|hash|eyJ/i)
  })

  test.each([
    ['nothing', {}],
    ['a bad bearer', { authorization: 'Bearer nonsense' }],
    ['another scheme', { authorization: 'Basic dTpw' }],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['a bad cookie', { cookie: 'access-token=nonsense' }],
    ['an unknown API key', { 'x-platform-api-key': 'iak_acme_11111111-1111-4111-8111-111111111111' }],
    ['the internal key', { 'x-platform-api-key': 'internal-key-of-the-tests-0123456789' }],
  ])('is 401 with %s', async (_, headers) => {
    const response = await fetch(`${gateway.url}/v2/me`, { headers: headers as Record<string, string> })
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      401,
      'AuthenticationError',
    ])
    expect(response.headers.get('x-correlation-id')).toMatch(/^[0-9a-f]{32}$/)
  })

  test('is 401 with a bad key beside a good token', async () => {
    const ada = await gateway.signIn()
    const headers = { ...ada.headers, 'x-platform-api-key': 'iak_acme_x' }
    expect((await fetch(`${gateway.url}/v2/me`, { headers })).status).toBe(401)
  })
})
