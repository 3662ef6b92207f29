import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorizationOf, Browser, returnedTo } from '../../test/sign-in.ts'

const credentials = { login: ADMIN.email, password: ADMIN.password }

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

const start = (browser: Browser, headers: Record<string, string> = {}) =>
  browser.visit(`${server.origin}/signin`, { headers })

describe('the pages', () => {
  it('allow no script, no foreign frame and no other style, and forms only where signing in leads', async () => {
    const page = await new Browser().visit(authorizationOf(server).url)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("form-action 'self' http://console.localhost:3000;")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    expect(page.text).not.toMatch(/<script|\son\w+=|\sstyle=/)
  })

  it.each([
    [{ 'accept-language': 'fr-CA, en;q=0.5' }, {}, 'lang="fr"', 'Mot de passe'],
    [{ 'accept-language': 'de, fr;q=0.2, en;q=0.8' }, {}, 'lang="en"', 'Password'],
    [{ 'accept-language': 'xx' }, { ui_locales: 'de fr' }, 'lang="fr"', 'Se connecter'],
    [{}, {}, 'lang="en"', 'Sign in'],
  ])('speak the language of %j and %j', async (headers, changed, language, text) => {
    const page = await new Browser().visit(authorizationOf(server, changed).url, { headers })
    expect(page.text).toContain(language)
    expect(page.text).toContain(text)
  })

  it('label every field and tell password managers what it is', async () => {
    const { text } = await start(new Browser())
    for (const id of ['login', 'password', 'remember'])
      expect(text).toMatch(new RegExp(`<label for="${id}">`))
    expect(text).toContain('autocomplete="username"')
    expect(text).toContain('autocomplete="current-password"')
    expect(text).toMatch(/<h1>[^<]+<\/h1>/)
    expect(text).toContain('<title>Sign in')
  })

  it('ask for JSON get what OAuth prescribes', async () => {
    const url = authorizationOf(server, { client_id: 'nobody' }).url
    const page = await new Browser().visit(url, { headers: { accept: 'application/json' } })
    expect(JSON.parse(page.text)).toMatchObject({ error: 'invalid_client' })
  })
})

describe('staying signed in', () => {
  const sessionCookie = (visited: Headers) =>
    visited.getSetCookie().find((line) => line.startsWith('_sessionv2='))

  it.each([
    ['ends with the browser unless asked for', {}, false],
    ['lasts when asked for', { remember: 'true' }, true],
  ])('%s', async (_, more, lasts) => {
    const browser = new Browser()
    const back = await browser.submit(await start(browser), { ...credentials, ...more }, { follow: false })
    const resumed = await browser.visit(back.headers.get('location') ?? '', { follow: false })
    expect(/expires=/i.test(sessionCookie(resumed.headers) ?? '')).toBe(lasts)
    expect(sessionCookie(resumed.headers)).toMatch(/httponly/i)
    expect(sessionCookie(resumed.headers)).toMatch(/samesite=lax/i)
  })

  it('gives the browser session another id with each sign-in', async () => {
    const browser = new Browser()
    await browser.submit(await start(browser), credentials)
    const before = browser.cookies.get('_sessionv2')?.value
    const page = await browser.visit(authorizationOf(server, { prompt: 'login' }).url)
    await browser.submit(page, credentials)
    expect(browser.cookies.get('_sessionv2')?.value).not.toBe(before)
  })
})

describe('while the database does not answer', () => {
  it('says 503 with a page and asks to try again', async () => {
    const url = authorizationOf(server).url
    const lost = await identityDatabase()
    await using other = await startIdentityServer({ database: lost })
    await lost[Symbol.asyncDispose]()
    const page = await new Browser().visit(url.replace(`:${server.port}/`, `:${other.port}/`))
    expect(page.status).toBe(503)
    expect(page.headers.get('retry-after')).toBe('1')
    expect(page.headers.get('content-type')).toContain('text/html')
  })
})

describe('returning to the console', () => {
  it('carries code, state and issuer only', async () => {
    const browser = new Browser()
    const authorization = authorizationOf(server)
    const back = await browser.submit(await browser.visit(authorization.url), credentials)
    expect([...returnedTo(back).keys()].sort()).toEqual(['code', 'iss', 'state'])
  })
})
