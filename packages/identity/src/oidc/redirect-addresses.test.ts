import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { authorizationOf, Browser } from '../../test/sign-in.ts'

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

/** Everything that is nearly, but not exactly, http://console.localhost:3000/signin. */
const variants: string[] = [
  '',
  '/signin',
  '//console.localhost:3000/signin',
  'http://console.localhost:3000',
  'http://console.localhost:3000/',
  'http://console.localhost:3000/signin/',
  'http://console.localhost:3000/signin/..',
  'http://console.localhost:3000/signin/../evil',
  'http://console.localhost:3000/signin/%2e%2e/evil',
  'http://console.localhost:3000/./signin',
  'http://console.localhost:3000//signin',
  'http://console.localhost:3000/Signin',
  'http://console.localhost:3000/sign%69n',
  'http://console.localhost:3000/signin?',
  'http://console.localhost:3000/signin?next=http://evil.example',
  'http://console.localhost:3000/signin#',
  'http://console.localhost:3000/signin#fragment',
  'http://console.localhost:3000/signin;x=1',
  'http://console.localhost:3000/signin%00',
  'http://console.localhost:3000/signin%0d%0aSet-Cookie:x=1',
  ' http://console.localhost:3000/signin',
  'http://console.localhost:3000/signin ',
  'http://console.localhost:3000\\signin',
  'http:\\\\console.localhost:3000\\signin',
  'http:/console.localhost:3000/signin',
  'http:console.localhost:3000/signin',
  'HTTP://console.localhost:3000/signin',
  'http://CONSOLE.localhost:3000/signin',
  'https://console.localhost:3000/signin',
  'http://console.localhost/signin',
  'http://console.localhost:3001/signin',
  'http://console.localhost:03000/signin',
  'http://console.localhost.:3000/signin',
  'http://console.localhost:3000.evil.example/signin',
  'http://console.localhost.evil.example:3000/signin',
  'http://evil.example/signin',
  'http://evil.example/http://console.localhost:3000/signin',
  'http://evil.example#http://console.localhost:3000/signin',
  'http://evil.example?http://console.localhost:3000/signin',
  'http://user@console.localhost:3000/signin',
  'http://console.localhost:3000@evil.example/signin',
  'http://console.localhost:3000%40evil.example/signin',
  'http://evil.example\\@console.localhost:3000/signin',
  'http://console%2elocalhost:3000/signin',
  'http://consolе.localhost:3000/signin',
  'http://*.localhost:3000/signin',
  'http://127.0.0.1:3000/signin',
  'http://[::1]:3000/signin',
  'javascript:alert(1)',
  'javascript://console.localhost:3000/signin%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'urn:ietf:wg:oauth:2.0:oob',
]

describe('redirect addresses', () => {
  it(`has ${variants.length} variants to refuse`, () => expect(variants.length).toBeGreaterThanOrEqual(40))

  it.each(variants)('refuses %j and leads nowhere', async (variant) => {
    const visited = await new Browser().visit(authorizationOf(server, { redirect_uri: variant }).url)
    expect(visited.status).toBe(400)
    expect(visited.headers.get('location')).toBeNull()
    expect(visited.text).not.toContain('<script')
  })

  it.each(['twice', 'absent'])('refuses one that is %s', async (how) => {
    const { url } = authorizationOf(server, how === 'absent' ? { redirect_uri: undefined } : {})
    const visited = await new Browser().visit(
      how === 'twice' ? `${url}&redirect_uri=http://evil.example/` : url,
    )
    expect(visited.status).toBe(400)
    expect(visited.headers.get('location')).toBeNull()
  })

  it.each(variants.filter((variant) => variant !== ''))(
    'does not lead to %j after signing out',
    async (variant) => {
      const url = new URL(`${server.settings.issuer}/session/end`)
      url.searchParams.set('client_id', 'local-client-id')
      url.searchParams.set('post_logout_redirect_uri', variant)
      const visited = await new Browser().visit(url.href)
      expect(visited.status).toBe(400)
      expect(visited.headers.get('location')).toBeNull()
    },
  )
})

describe('the addresses the server tells of itself', () => {
  const ask = async (path: string, headers: Record<string, string>) => {
    const { request } = await import('node:http')
    return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
      (resolve, reject) => {
        const sent = request({ host: '127.0.0.1', port: server.port, path, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          )
        })
        sent.on('error', reject).end()
      },
    )
  }

  it.each([
    ['evil.example', {}],
    ['127.0.0.1', {}],
    ['localhost:1', {}],
    ['a.b', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }],
    ['a.b', { forwarded: 'host=evil.example;proto=https', 'x-original-host': 'evil.example' }],
  ])('are the same for Host %s', async (host, more) => {
    const { text } = await ask('/oidc/.well-known/openid-configuration', { host, ...more })
    const document = JSON.parse(text) as Record<string, unknown>
    expect(document).toMatchObject({
      issuer: server.settings.issuer,
      authorization_endpoint: `${server.settings.issuer}/auth`,
      token_endpoint: `${server.settings.issuer}/token`,
      userinfo_endpoint: `${server.settings.issuer}/me`,
      jwks_uri: `${server.settings.issuer}/jwks`,
      end_session_endpoint: `${server.settings.issuer}/session/end`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
    })
    expect(text).not.toMatch(/evil|https/)

    const { pathname, search } = new URL(authorizationOf(server).url)
    const { headers } = await ask(pathname + search, { host, ...more, accept: 'text/html' })
    expect(String(headers.location)).toMatch(new RegExp(`^${server.settings.issuer}/interaction/`))
  })

  it.each([
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server/oidc',
    '/oidc/.well-known/oauth-authorization-server',
  ])('are also at %s', async (path) => {
    const { status, text } = await ask(path, { host: 'localhost' })
    expect(status).toBe(200)
    expect(text).toBe((await ask('/oidc/.well-known/openid-configuration', { host: 'localhost' })).text)
  })

  it('answers 404 for other well-known addresses', async () => {
    expect(
      (await ask('/.well-known/security.txt', { host: 'localhost', accept: 'application/json' })).status,
    ).toBe(404)
  })
})
