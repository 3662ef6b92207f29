import { ADMIN, type Platform } from '@platform/testing/platform'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { Browser } from './support/browser.ts'
import { call } from './support/caller.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const CONSOLE = 'http://localhost:3000/signin'

const resourceScopes = [
  'workspaces:read',
  'workspaces:write',
  'events:read',
  'events:write',
  'webhooks',
  'pages:read',
  'files:read',
  'files:write',
]

const W = '/v2/workspaces/w1'
const routes: [method: string, path: string, scope: string][] = [
  ['GET', '/v2/workspaces', 'workspaces:read'],
  ['POST', '/v2/workspaces', 'workspaces:write'],
  ['GET', W, 'workspaces:read'],
  ['PATCH', W, 'workspaces:write'],
  ['DELETE', W, 'workspaces:write'],
  ['GET', `${W}/automations`, 'workspaces:read'],
  ['POST', `${W}/automations`, 'workspaces:write'],
  ['GET', `${W}/automations/a`, 'workspaces:read'],
  ['PATCH', `${W}/automations/a`, 'workspaces:write'],
  ['DELETE', `${W}/automations/a`, 'workspaces:write'],
  ['GET', `${W}/security/apikeys`, 'workspaces:read'],
  ['POST', `${W}/security/apikeys`, 'workspaces:write'],
  ['GET', `${W}/events`, 'events:read'],
  ['POST', `${W}/events`, 'events:write'],
  ['POST', `${W}/test/a`, 'webhooks'],
  ['GET', `${W}/webhooks/a`, 'webhooks'],
  ['POST', `${W}/webhooks/a`, 'webhooks'],
]

describe.each(shapes.slice(0, 1))('scopes at the services of $name', (shape) => {
  let platform: Platform
  beforeAll(async () => {
    platform = await sharedPlatform(shape)
  })

  /** A JWT of the administrator with these scopes of the API and no other. */
  async function jwtWith(scopes: readonly string[]): Promise<string> {
    const config = await client.discovery(
      new URL(`${platform.origin}/oidc`),
      'local-client-id',
      undefined,
      client.None(),
      { execute: [client.allowInsecureRequests] },
    )
    const verifier = client.randomPKCECodeVerifier()
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: CONSOLE,
      scope: ['openid', ...scopes].join(' '),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const browser = new Browser(platform.origin)
    const form = await browser.open(url.href)
    const page = await browser.submit(form, { login: ADMIN.email, password: ADMIN.password })
    const back = new URL(page.headers.get('location') ?? '', page.url)
    const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier })
    return tokens.access_token
  }

  test.each(resourceScopes)(
    'without %s its routes are 403, even for a super administrator',
    async (missing) => {
      const token = await jwtWith(resourceScopes.filter((scope) => scope !== missing))
      for (const [method, path, scope] of routes) {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
        const answer = await call(platform.origin, method, path, { token, ...body })
        const isRefused = answer.status === 403 && answer.json?.error === 'InsufficientScope'
        expect(isRefused, `${method} ${path}: ${answer.status} ${answer.text}`).toBe(scope === missing)
      }
      expect((await call(platform.origin, 'GET', '/v2/me', { token })).status).toBe(200)
      expect((await call(platform.origin, 'GET', '/v2/user/sessions', { token })).status).toBe(200)
    },
  )
})
