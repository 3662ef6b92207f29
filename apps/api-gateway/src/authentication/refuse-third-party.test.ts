import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, startUpstream, type TestGateway, type Upstream } from '../../test/start-gateway.ts'

const PARTNER = 'an-application-of-somebody-else'
const APP = {
  client_id: 'our-app',
  client_name: 'App',
  redirect_uris: ['http://127.0.0.1/callback'],
  firstParty: true,
}

describe('the JWT of an application that is not the platform’s own', () => {
  let gateway: TestGateway
  let service: Upstream

  beforeAll(async () => {
    service = await startUpstream()
    gateway = await startGateway({
      services: service.url,
      env: { OIDC_EXTERNAL_CLIENTS: JSON.stringify([APP]) },
    })
  })
  afterAll(async () => {
    await gateway?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
  })

  const ask = async (method: string, path: string, clientId: string, body?: unknown) => {
    const { headers } = await gateway.signIn({ clientId, superAdmin: true })
    const answer = await fetch(gateway.url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as { error?: string } }
  }

  test.each([
    ['GET', '/v2/me'],
    ['PATCH', '/v2/user', { firstName: 'Eve' }],
    ['DELETE', '/v2/user'],
    ['POST', '/v2/user/accessTokens', { name: 'x', expiresAt: '2030-01-01T00:00:00Z' }],
    ['POST', '/v2/user/mfa', { method: 'none', currentPassword: 'x' }],
    ['GET', '/v2/user/sessions'],
    ['POST', '/v2/contacts', {}],
    ['PATCH', '/v2/users/somebody', { platformRole: 'superAdmin' }],
    ['GET', '/v2/platform/signing-keys'],
    ['DELETE', '/v2/platform/signing-keys/some-key'],
    ['GET', '/v2/orgs/acme/auth/sso'],
    ['GET', '/v2/readiness'],
    ['POST', '/v2/workspaces/some-workspace/security/apikeys', {}],
    ['POST', '/v2/workspaces/w1/security/apikeys', { name: 'x', rules: [] }],
    ['PUT', '/v2/workspaces/w1/security/apikeys/k1', { rules: [] }],
    ['DELETE', '/v2/workspaces/w1/security/apikeys/k1'],
  ])('is refused at %s %s, whatever its user may do', async (method, path, body?: unknown) => {
    expect(await ask(method, path, PARTNER, body)).toMatchObject({
      status: 403,
      body: { error: 'InsufficientScope' },
    })
  })

  test('works where its scopes stand for something, without the power of a super administrator', async () => {
    const answer = await ask('GET', '/v2/workspaces', PARTNER)
    expect(answer.status).toBe(200)
    const headers = service.seen.at(-1)?.headers ?? {}
    expect(headers['x-platform-client-id']).toBe(PARTNER)
    expect(headers).not.toHaveProperty('x-platform-role')
  })

  test.each(['local-client-id', 'gateway-signin', APP.client_id])(
    'is nobody’s business at %s, which is our own',
    async (clientId) => {
      expect((await ask('GET', '/v2/me', clientId)).status).toBe(200)
      expect((await ask('GET', '/v2/platform/signing-keys', clientId)).status).toBe(200)
    },
  )
})
