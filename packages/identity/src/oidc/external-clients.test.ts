import { readConfig } from '@platform/config'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorizationOf, authorize, Browser, redeem, returnedTo } from '../../test/sign-in.ts'
import { oidcEnv } from './oidc-env.ts'

const app = {
  client_id: 'cli',
  client_name: 'Command line',
  redirect_uris: ['http://127.0.0.1/callback', 'ai.example.cli:/callback'],
}
const read = (clients: unknown) =>
  readConfig(oidcEnv, {
    SESSION_COOKIES_SIGN_SECRET: 'mXw2Q9sT4vB7nK1pR6zLhY3c',
    OIDC_EXTERNAL_CLIENTS: typeof clients === 'string' ? clients : JSON.stringify(clients),
  }).externalClients

describe('OIDC_EXTERNAL_CLIENTS', () => {
  it('is empty unless given, and fills in what a client leaves out', () => {
    expect(read('[]')).toEqual([])
    expect(read([app])).toMatchObject([
      { ...app, firstParty: true, resourceScopes: expect.arrayContaining(['workspaces:write']) },
    ])
    const [guest] = read([{ ...app, firstParty: false }])
    expect(guest?.resourceScopes).toEqual([
      'events:read',
      'events:write',
      'webhooks',
      'pages:read',
      'files:read',
      'files:write',
    ])
  })

  it.each<[string, unknown, string]>([
    ['no JSON', '[{', 'must be a JSON list'],
    ['no list', { ...app }, 'must be a JSON list'],
    ['no id', [{ ...app, client_id: undefined }], 'list[0].client_id'],
    ['an id with a space', [{ ...app, client_id: 'a b' }], 'list[0].client_id'],
    ['the id of the console', [{ ...app, client_id: 'local-client-id' }], 'the platform has itself'],
    ['the id of the gateway', [{ ...app, client_id: 'gateway-signin' }], 'the platform has itself'],
    ['one id twice', [app, app], 'twice'],
    ['no redirect', [{ ...app, redirect_uris: [] }], 'list[0].redirect_uris'],
    [
      'a redirect to anywhere',
      [{ ...app, redirect_uris: ['http://app.example/cb'] }],
      'list[0].redirect_uris[0]',
    ],
    ['a wildcard', [{ ...app, redirect_uris: ['https://*.example.com/cb'] }], 'wildcard'],
    ['a fragment', [{ ...app, redirect_uris: ['ai.example.cli:/cb#x'] }], 'fragment'],
    ['a scheme of the web', [{ ...app, redirect_uris: ['javascript:alert(1)'] }], 'redirect_uris[0]'],
    ['a scheme without a dot', [{ ...app, redirect_uris: ['cli:/cb'] }], 'redirect_uris[0]'],
    ['an unknown scope', [{ ...app, resourceScopes: ['root'] }], 'list[0].resourceScopes[0]'],
    ['an unknown word', [{ ...app, client_secret: 'x' }], 'client_secret'],
  ])('with %s refuses to start with a sentence', (_, clients, part) => {
    expect(() => read(clients)).toThrow(expect.objectContaining({ message: expect.stringContaining(part) }))
    expect(() => read(clients)).toThrow(/OIDC_EXTERNAL_CLIENTS/)
  })
})

describe('an app named by the environment', () => {
  let database: Awaited<ReturnType<typeof identityDatabase>>
  let server: IdentityServer
  beforeAll(async () => {
    database = await identityDatabase()
    server = await startIdentityServer({ database, given: { externalClients: read([app]) } })
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await database[Symbol.asyncDispose]()
  })

  it.each(['http://127.0.0.1:49321/callback', 'http://127.0.0.1/callback', 'ai.example.cli:/callback'])(
    'is answered at %s without a question, with all rights of the platform’s own clients',
    async (redirect_uri) => {
      const asked = { client_id: 'cli', redirect_uri, scope: 'openid offline_access' }
      const { authorization, back, code } = await authorize(server, ADMIN, asked)
      expect(back.headers.get('location')?.startsWith(`${redirect_uri}?`)).toBe(true)
      const { body } = await redeem(server, {
        ...{ grant_type: 'authorization_code', client_id: 'cli', redirect_uri, code },
        code_verifier: authorization.verifier,
      })
      expect(String(decodeJwt(String(body.access_token)).scope).split(' ')).toContain('workspaces:write')
      expect(body.refresh_token).toMatch(/./)
      expect(returnedTo(back).get('iss')).toBe(server.settings.issuer)
    },
  )

  it.each([
    'http://127.0.0.1:49321/callback/',
    'http://127.0.0.1:49321/other',
    'http://localhost:49321/callback',
    'http://[::1]:49321/callback',
    'http://127.0.0.1.evil.example:49321/callback',
    'http://user@127.0.0.1:49321/callback',
    'https://127.0.0.1:49321/callback',
    'http://127.0.0.1:49321/callback#x',
    'ai.example.cli://callback',
    'ai.example.cli:/callback2',
    'AI.example.cli:/callback',
  ])('is not answered at %s', async (redirect_uri) => {
    const visited = await new Browser().visit(authorizationOf(server, { client_id: 'cli', redirect_uri }).url)
    expect([visited.status, visited.headers.get('location')]).toEqual([400, null])
  })

  it('is refused without PKCE, and can’t get a token for itself', async () => {
    const without = {
      client_id: 'cli',
      redirect_uri: 'ai.example.cli:/callback',
      code_challenge: undefined,
      code_challenge_method: undefined,
    }
    const visited = await new Browser().visit(authorizationOf(server, without).url)
    expect(visited.headers.get('location')).toContain('error=invalid_request')
    expect((await redeem(server, { grant_type: 'client_credentials', client_id: 'cli' })).status).toBe(400)
  })
})
