import * as contracts from '@platform/contracts'
import { createFor } from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, endpointsOf, methodsOf } from '../../test/operations.ts'
import {
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

let service: Upstream
let gateway: TestGateway
let ada: SignedIn
let headers: Record<string, string>
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
  ada = await gateway.signIn({ superAdmin: true })
  headers = { authorization: `Bearer ${(await createFor(gateway, ada)).token}` }
})
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const endpoints = endpointsOf(contracts)

/** Where access tokens are not taken. */
const isForbidden = (path: string, method: string): boolean =>
  /^\/v2\/(user|login|signup|platform\/users)(\/|$)/.test(path) ||
  (/\/security\//.test(path) && method !== 'get')

const cases = endpoints.flatMap((endpoint) =>
  methodsOf(endpoint).map((method) => ({ id: endpoint.id, method, path: endpoint.path })),
)
const forbidden = cases.filter(({ path, method }) => isForbidden(path, method))
const allowed = cases.filter(({ path, method }) => path.startsWith('/v2') && !isForbidden(path, method))

const send = (method: string, path: string) =>
  fetch(gateway.url + addressOf(path), {
    method: method.toUpperCase(),
    headers: { ...headers, 'content-type': 'application/json' },
    ...(method === 'get' ? {} : { body: '{}' }),
    redirect: 'manual',
  })

describe('an access token', () => {
  test.each(forbidden)('may not $method $path', async ({ method, path }) => {
    const before = service.seen.length
    const response = await send(method, path)
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
      403,
      'ForbiddenError',
    ])
    expect(service.seen.length).toBe(before)
  })

  test('is refused at every endpoint of accounts and sign-ins, also at those that are not there', async () => {
    expect(forbidden.length).toBeGreaterThan(20)
    for (const path of [
      '/v2/user',
      '/v2/user/',
      '/v2/user/anything/at/all',
      '/v2/login/x',
      '/v2/%75ser/accessTokens',
    ])
      for (const method of ['get', 'post', 'put', 'patch', 'delete'])
        expect((await send(method, path)).status, `${method} ${path}`).toBe(403)
  })

  test.each(allowed)('may $method $path as far as its owner may', async ({ id, method, path }) => {
    if (['getPhoto'].includes(id)) return
    const response = await send(method, path)
    const body = await response.text()
    expect(response.status, body).not.toBe(401)
    expect(body).not.toContain('An access token may not')
  })

  test.each(['/v2/me', '/v2/workspaces', '/v2/workspaces/w1/security/apikeys'])('reads %s', async (path) =>
    expect((await send('get', path)).status).toBe(200),
  )

  test('reads people: contacts and a user are not forbidden to it', async () => {
    expect((await send('post', '/v2/contacts')).status).not.toBe(403)
    expect((await send('get', `/v2/users/${ada.userId}`)).status).not.toBe(403)
  })
})
