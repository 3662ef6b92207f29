import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { Browser } from '../../test/sign-in.ts'

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
const tokenIn = (browser: Browser) => browser.cookies.get('access-token')?.value ?? ''

describe('signing out', () => {
  async function signedIn() {
    const browser = new Browser()
    await browser.submit(await start(browser), credentials)
    return { browser, session: String(decodeJwt(tokenIn(browser)).prismeaiSessionId) }
  }

  it('asks first, then ends the session, forgets the cookies and says so', async () => {
    const { browser, session } = await signedIn()
    const question = await browser.visit(`${server.settings.issuer}/session/end?client_id=gateway-signin`)
    expect(question.text).toContain('Sign out?')
    expect(await server.sessions.find(session)).toBeDefined()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? ''
    const done = await browser.submit(question, { xsrf, logout: 'yes' })
    expect(done.text).toContain('You are signed out')
    expect(await server.sessions.find(session)).toBeUndefined()
    expect(tokenIn(browser)).toBe('')
    expect((await start(browser)).text).toContain('type="password"')
  })

  it('ends the session of the cookie although the browser session is gone', async () => {
    const { browser, session } = await signedIn()
    browser.cookies.delete('_sessionv2')
    const question = await browser.visit(`${server.settings.issuer}/session/end?client_id=gateway-signin`)
    const [, action = ''] = /action="([^"]+)"/.exec(question.text) ?? []
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? ''
    await browser.visit(action, { form: { xsrf, logout: 'yes' } })
    expect(await server.sessions.find(session)).toBeUndefined()
    expect(tokenIn(browser)).toBe('')
  })

  it('goes back to the console when that is where it came from', async () => {
    const { browser } = await signedIn()
    const url = new URL(`${server.settings.issuer}/session/end`)
    url.searchParams.set('client_id', 'local-client-id')
    url.searchParams.set('post_logout_redirect_uri', server.consoleSignIn)
    url.searchParams.set('state', 's1')
    const question = await browser.visit(url.href)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? ''
    const done = await browser.submit(question, { xsrf, logout: 'yes' })
    expect(done.headers.get('location')).toBe(`${server.consoleSignIn}?state=s1`)
  })

  it('does nothing for a form another site has made, or when the person stays', async () => {
    const { browser, session } = await signedIn()
    const question = await browser.visit(`${server.settings.issuer}/session/end?client_id=gateway-signin`)
    expect((await browser.submit(question, { xsrf: 'guessed', logout: 'yes' })).status).toBe(400)
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? ''
    await browser.submit(question, { xsrf })
    expect(await server.sessions.find(session)).toBeDefined()
  })
})
