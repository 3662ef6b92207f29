import { getMe } from '@platform/contracts'
import { sql } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { masterKeyRing } from '@platform/master-keys'
import { createClient } from '@platform/service-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaveFor, startWorld, unsigned, type World } from '../../../test/external-providers.ts'
import { Browser } from '../../../test/sign-in.ts'
import { pendingSignInStore, sweepPendingSignIns } from './pending-sign-in-store.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const me = (browser: Browser) =>
  createClient(world.origin, { cookie: `access-token=${browser.cookies.get('access-token')?.value}` })(getMe)

describe('an answer that proves nothing', () => {
  const claimsFor = (nonce: string) => ({ iss: world.crooked.url, aud: 'platform', sub: 'eve', nonce })

  it('is what the next ones differ from: this one is good', async () => {
    const { browser, state, nonce, back } = await leaveFor(world, 'crooked')
    world.crooked.idToken = () => world.crooked.sign({ nonce })
    const done = await back({ state, code: 'code' })
    expect([done.status, done.url]).toEqual([200, `${world.origin}/signin/callback`])
    expect((await me(browser)).authData).toHaveProperty('crooked.id', 'eve')
  })

  it('is good without discovery and PKCE too, where a provider has neither', async () => {
    const { browser, sent, state, nonce, back } = await leaveFor(world, 'endpoints')
    expect([sent.get('scope'), sent.get('code_challenge')]).toEqual(['openid email', null])
    world.crooked.idToken = () => world.crooked.sign({ nonce, iss: `${world.crooked.url}/` })
    expect((await back({ state, code: 'code' })).status).toBe(400)
    const again = await leaveFor(world, 'endpoints', browser)
    world.crooked.idToken = () => world.crooked.sign({ nonce: again.nonce })
    const done = await again.back({ state: again.state, code: 'code' })
    expect(done.url).toBe(`${world.origin}/signin/callback`)
  })

  it('is refused ten minutes after it began, and swept', async () => {
    const { state, nonce, back } = await leaveFor(world, 'crooked')
    world.crooked.idToken = () => world.crooked.sign({ nonce })
    const { database } = world.gateway
    await database.many(sql`update gateway.external_logins set expires_at = now() - interval '1 second'`)
    expect((await back({ state, code: 'code' })).status).toBe(400)
    const logins = pendingSignInStore(database, masterKeyRing([{ id: 'test', key: Buffer.alloc(32, 7) }]))
    await logins.insertTicket('over', { interactionUid: 'x', provider: 'x', userId: 'x' }, new Date(0))
    await sweepPendingSignIns({ logins, clock: systemClock }).run(AbortSignal.timeout(5000))
    expect(await database.many(sql`select 1 from gateway.external_logins`)).toEqual([])
    expect(
      await database.many(sql`select 1 from gateway.external_login_tickets where provider = 'x'`),
    ).toEqual([])
  })

  it.each<[string, (nonce: string) => Promise<string> | string]>([
    ['another nonce', () => world.crooked.sign({ nonce: 'another' })],
    ['no nonce', () => world.crooked.sign({})],
    ['another issuer', (nonce) => world.crooked.sign({ nonce, iss: 'https://elsewhere.example' })],
    ['another audience', (nonce) => world.crooked.sign({ nonce, aud: 'another-client' })],
    [
      'many audiences, meant for another',
      (nonce) => world.crooked.sign({ nonce, aud: ['platform', 'x'], azp: 'x' }),
    ],
    ['its time over', (nonce) => world.crooked.sign({ nonce, exp: 1_700_000_000 })],
    ['its time not come', (nonce) => world.crooked.sign({ nonce, nbf: 4_000_000_000 })],
    ['no subject', (nonce) => world.crooked.sign({ nonce, sub: undefined as unknown as string })],
    ['the signature of a stranger', (nonce) => world.crooked.sign({ nonce }, { stranger: true })],
    ['a key nobody publishes', (nonce) => world.crooked.sign({ nonce }, { kid: 'two', stranger: true })],
    ['alg none', (nonce) => unsigned(claimsFor(nonce))],
    ['no shape at all', () => 'garbage'],
  ])('is refused with %s', async (_what, tokenFor) => {
    const { browser, state, nonce, back } = await leaveFor(world, 'crooked')
    world.crooked.idToken = async () => tokenFor(nonce)
    const page = await back({ state, code: 'code' })
    expect(page.status).toBe(400)
    expect(page.text).toContain('could not be verified')
    expect(page.text).not.toMatch(/eyJ|at Object|node_modules/)
    expect(browser.cookies.has('access-token')).toBe(false)
  })

  it('is refused with another state, a second time, and in another browser', async () => {
    const { browser, state, nonce, back } = await leaveFor(world, 'crooked')
    world.crooked.idToken = () => world.crooked.sign({ nonce })
    const { token } = world.crooked.asked
    for (const page of [
      await back({ state: 'another', code: 'code' }),
      await back({ code: 'code' }),
      await back({ state, code: 'code' }, new Browser()),
    ]) {
      expect(page.status).toBe(400)
      expect(page.text).toContain('started in another browser')
    }
    expect(world.crooked.asked.token).toBe(token)
    const kept = new Map(browser.cookies)
    expect((await back({ state, code: 'code' })).status).toBe(200)
    const replaying = new Browser()
    for (const [name, cookie] of kept) replaying.cookies.set(name, cookie)
    expect((await back({ state, code: 'code' }, replaying)).status).toBe(400)
    expect(world.crooked.asked.token).toBe(token + 1)
  })

  it('ends in the browser whose authorization it was, once', async () => {
    const { browser, state, nonce } = await leaveFor(world, 'crooked')
    world.crooked.idToken = () => world.crooked.sign({ nonce })
    const callback = `${world.origin}/v2/login/callback?state=${state}&code=code`
    const location = (await browser.visit(callback, { follow: false })).headers.get('location') ?? ''
    expect(location).toMatch(/\/oidc\/interaction\/[\w-]+\/external\?ticket=[\w-]{43}$/)
    const other = await leaveFor(world, 'crooked')
    expect((await new Browser().visit(location)).status).toBe(400)
    expect((await other.browser.visit(location)).status).toBe(400)
    const kept = new Map(browser.cookies)
    expect((await browser.visit(location)).url).toBe(`${world.origin}/signin/callback`)
    const again = new Browser()
    for (const [name, cookie] of kept) again.cookies.set(name, cookie)
    expect((await again.visit(location)).status).toBe(400)
  })
})

describe('a provider that does not let somebody in', () => {
  it('leads back to the sign-in, in the language of the browser', async () => {
    world.idp.declines = true
    const browser = new Browser()
    const away = await browser.visit(`${world.origin}/v2/login?provider=acme`)
    const headers = { 'accept-language': 'fr' }
    const toIdp = await browser.visit(away.headers.get('location') ?? '', { headers })
    const page = await browser.visit(toIdp.headers.get('location') ?? '', { headers })
    world.idp.declines = false
    expect(page.status).toBe(400)
    expect(page.text).toContain('ne vous a pas laissé entrer')
    const [, form = ''] = /href="([^"]*\/oidc\/interaction\/[^"]*)"/.exec(page.text) ?? []
    expect((await browser.visit(form)).text).toContain('name="password"')
  })

  it('shows nothing it says as markup', async () => {
    const { state, back } = await leaveFor(world, 'crooked')
    const page = await back({ state, error: '<script>alert(1)</script>', error_description: '<img src=x>' })
    expect(page.status).toBe(400)
    expect(page.text).not.toMatch(/<script|<img/)
  })
})
