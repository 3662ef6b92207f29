import { createAuthProvider, listLoginProviders } from '@platform/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CLIENT, providerFile } from '../../../test/external-providers.ts'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  const config = { ...CLIENT, issuer: 'http://127.0.0.1:2' }
  const providers = [
    {
      slug: 'acme',
      name: 'Acme',
      type: 'oidc',
      icon: 'https://acme.example/i.svg',
      meta: { color: 'red' },
      config,
    },
    { slug: 'closed', type: 'oidc', enabled: false, config },
  ]
  const env = { AUTH_PROVIDERS_CONFIG: await providerFile({ providers }), OUTBOUND_ALLOWED: '127.0.0.0/8' }
  gateway = await startIdentity({ env: { ...env, DISABLE_LOCAL_SIGNUP: 'true' } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

it('names the enabled providers of the platform to everybody, without anything secret', async () => {
  const root = await gateway.signIn({ superAdmin: true })
  await gateway.client(root.headers)(createAuthProvider, {
    params: { orgSlug: 'org' },
    body: { slug: 'of-org', type: 'oidc', config: { ...CLIENT, issuer: 'http://127.0.0.1:2' } },
  })
  expect(await gateway.nobody(listLoginProviders)).toEqual({
    localSignin: true,
    localSignup: false,
    providers: [
      {
        slug: 'acme',
        type: 'oidc',
        name: 'Acme',
        icon: 'https://acme.example/i.svg',
        meta: { color: 'red' },
      },
    ],
  })
})

it('answers a worthless credential like none', async () => {
  const response = await fetch(`${gateway.url}/v2/login/providers`, { method: 'POST' })
  expect(response.status).toBe(405)
})
