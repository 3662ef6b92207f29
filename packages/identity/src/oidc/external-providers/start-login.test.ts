import { createAuthProvider } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asRoot, CLIENT, leaveFor, startWorld, travel, type World } from '../../../test/external-providers.ts'
import { Browser } from '../../../test/sign-in.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  const root = await asRoot(world)
  await root(createAuthProvider, {
    params: { orgSlug: 'hopper' },
    body: {
      slug: 'hopper-idp',
      name: 'Hopper',
      type: 'oidc',
      config: { ...CLIENT, issuer: world.idp.url },
      domains: ['hopper.example'],
    },
  })
})
afterAll(() => world[Symbol.asyncDispose]())

const start = (query: string) => fetch(`${world.origin}/v2/login?${query}`, { redirect: 'manual' })

describe('POST /v2/login', () => {
  it('says where signing in with a password is', async () => {
    const response = await fetch(`${world.origin}/v2/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"email":"ada@example.com","password":"x"}',
    })
    expect([response.status, await response.json()]).toEqual([
      405,
      { error: 'MethodNotAllowed', message: expect.stringContaining('open /signin in a browser') },
    ])
  })
})

describe('starting to sign in at another provider', () => {
  it('sends state, nonce and a PKCE challenge, and binds the browser by a cookie', async () => {
    const { away, sent, state, browser } = await leaveFor(world, 'acme')
    expect(away.status).toBe(302)
    expect(Object.fromEntries(sent)).toEqual({
      client_id: 'platform',
      response_type: 'code',
      redirect_uri: `${world.origin}/v2/login/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}\.[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(browser.cookies.get(`_external_${state.slice(0, 10)}`)).toMatchObject({
      path: '/v2/login/callback',
    })
    expect(away.headers.get('set-cookie')).toMatch(/Max-Age=600; Path=.*; HttpOnly; SameSite=Lax$/)
    expect(away.headers.get('cache-control')).toBe('no-store')
  })

  it('begins an authorization first, so that there is one to come back to', async () => {
    const response = await start('provider=acme')
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`${world.origin}/signin?acr_values=idp%3Aacme&prompt=login`)
  })

  it('finds the provider of a mail domain, and tells it the address', async () => {
    const browser = new Browser()
    const away = await browser.visit(`${world.origin}/v2/login?domain=grace@HOPPER.example`)
    const sent = new URL(away.headers.get('location') ?? '')
    expect([sent.origin, sent.searchParams.get('login_hint')]).toEqual([
      world.idp.url,
      'grace@HOPPER.example',
    ])
  })

  it.each([
    'domain=unknown.example',
    'domain=someone@unknown.example',
    'provider=local',
    'provider=prismeai',
  ])('answers {provider: local} for %s', async (query) => {
    const response = await start(query)
    expect([response.status, await response.json()]).toEqual([200, { provider: 'local' }])
  })

  it.each([
    ['', 400, 'RequestValidationError'],
    ['provider=', 400, 'RequestValidationError'],
    ['provider=acme&interaction=../../x', 400, 'RequestValidationError'],
    ['provider=acme&other=1', 400, 'RequestValidationError'],
    ['provider=nobody', 404, 'ObjectNotFoundError'],
    ['provider=closed', 403, 'ForbiddenError'],
  ])('refuses ?%s with %i', async (query, status, error) => {
    const response = await start(query)
    expect([response.status, await response.json()]).toMatchObject([status, { error }])
  })

  it.each(['down', 'inside'])('shows a page when the provider "%s" can’t be called', async (slug) => {
    const page = await travel(new Browser(), `${world.origin}/v2/login?provider=${slug}`)
    expect(page.status).toBe(503)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.text).toContain('does not answer right now')
    expect(page.text).not.toMatch(/169\.254|ECONNREFUSED|127\.0\.0\.1/)
  })

  it('leads an address typed on the sign-in page to the provider of its domain', async () => {
    world.idp.person = { sub: 'typed', email: 'typed@hopper.example', email_verified: true }
    const browser = new Browser()
    const form = await browser.visit(`${world.origin}/signin`)
    const page = await browser.submit(form, { login: 'typed@hopper.example', password: 'anything at all' })
    expect(page.status).toBe(200)
    expect(page.text).toContain('Continue with Hopper')
    const [, url = ''] = /^0; url=(.*)$/.exec(page.headers.get('refresh') ?? '') ?? []
    const done = await travel(browser, url)
    expect(done.url).toBe(`${world.origin}/signin/callback`)
    expect(done.text).toContain('typed@hopper.example')
  })

  it('leaves addresses of other domains, and passwords that are right, alone', async () => {
    const browser = new Browser()
    const form = await browser.visit(`${world.origin}/signin`)
    const wrong = await browser.submit(form, { login: 'x@other.example', password: 'anything at all' })
    expect(wrong.status).toBe(401)
    const root = { login: 'root@example.com', password: 'a password of the tests' }
    expect((await browser.submit(form, root)).url).toBe(`${world.origin}/signin/callback`)
  })

  it('takes a provider of an organization at its word for the domains of that organization only', async () => {
    world.idp.person = { sub: 'stranger', email: 'stranger@example.com', email_verified: true }
    const page = await travel(new Browser(), `${world.origin}/v2/login?provider=hopper-idp`)
    expect(page.url).toBe(`${world.origin}/signin/callback`)
    expect(page.text).not.toContain('stranger@example.com')
  })
})
