import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  noOffers,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorizationOf, Browser, type Visited } from '../../test/sign-in.ts'

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

describe('the sign-in form', () => {
  async function attempt(
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Visited> {
    const browser = new Browser()
    return browser.submit(await start(browser), fields, { headers })
  }

  it.each([
    ['a wrong password', { ...credentials, password: 'not the password' }],
    ['an unknown address', { login: 'nobody@example.com', password: 'not the password' }],
    ['a password longer than any', { ...credentials, password: 'x'.repeat(129) }],
    ['SQL for an address', { login: "' or 1=1 --", password: 'not the password' }],
  ])('answers 401 with the same sentence for %s, and keeps the address', async (_, fields) => {
    const page = await attempt(fields)
    expect(page.status).toBe(401)
    expect(page.text).toContain('The e-mail address or the password is not right.')
    expect(page.text).toContain('role="alert"')
    expect(page.text).not.toContain(fields.password)
    expect(page.text).toContain(`value="${fields.login.replaceAll("'", '&#39;')}"`)
  })

  it('takes the address in any case, and goes on after a mistake', async () => {
    const browser = new Browser()
    const again = await browser.submit(await start(browser), { ...credentials, password: 'not the password' })
    const done = await browser.submit(again, { ...credentials, login: `  ${ADMIN.email.toUpperCase()} ` })
    expect(done.url).toBe(`${server.origin}/signin/callback`)
  })

  it('answers 400 when a field is empty', async () => {
    expect((await attempt({ login: ADMIN.email, password: '' })).status).toBe(400)
    expect((await attempt({})).status).toBe(400)
  })

  it('tells a deactivated account only to whoever knows its password', async () => {
    await database.many(sql`update gateway.users set status = 'deactivated' where email = ${ADMIN.email}`)
    try {
      const known = await attempt(credentials)
      expect([known.status, known.text.includes('This account is deactivated.')]).toEqual([403, true])
      const guessed = await attempt({ ...credentials, password: 'not the password' })
      expect([guessed.status, guessed.text.includes('deactivated')]).toEqual([401, false])
    } finally {
      await database.many(sql`update gateway.users set status = 'validated' where email = ${ADMIN.email}`)
    }
  })

  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site, by fetch metadata', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the site, by fetch metadata', { 'sec-fetch-site': 'same-site' }],
  ])('refuses what comes from %s', async (_, headers) => {
    const page = await attempt(credentials, headers)
    expect(page.status).toBe(403)
    expect(page.text).toContain('was not sent from this page')
  })

  it('needs the cookie of the browser the authorization was started in', async () => {
    const page = await start(new Browser())
    const stolen = await new Browser().submit(page, credentials)
    expect(stolen.status).toBe(400)
    expect(stolen.text).toContain('has expired or was started in another browser')
  })

  it.each([
    ['JSON', { 'content-type': 'application/json' }, 415],
    ['a body that is too large', {}, 413],
  ])('refuses %s', async (what, headers, status) => {
    const browser = new Browser()
    const page = await start(browser)
    const fields = what === 'JSON' ? credentials : { ...credentials, password: 'x'.repeat(20_000) }
    expect((await browser.submit(page, fields, { headers })).status).toBe(status)
  })

  it('never shows what it is given as markup', async () => {
    const login = '"><script>alert(1)</script>'
    const page = await attempt({ login, password: 'not the password' })
    expect(page.text).not.toContain('<script')
    const hinted = await new Browser().visit(authorizationOf(server, { login_hint: login }).url)
    expect(hinted.text).toContain('&quot;&gt;&lt;script&gt;')
  })

  it('shows one page again when its link is opened twice, and 400 once it was used', async () => {
    const browser = new Browser()
    const page = await start(browser)
    const [interaction, resume] = ['_interactionv2', '_interaction_resumev2'].map((name) =>
      browser.cookies.get(name),
    )
    expect((await browser.visit(page.url)).status).toBe(200)
    await browser.submit(page, credentials)
    if (interaction !== undefined) browser.cookies.set('_interactionv2', interaction)
    expect(resume).toBeDefined()
    expect((await browser.visit(page.url)).status).toBe(400)
  })
})

describe('a refused password', () => {
  const submitted = async (fields: Record<string, string>) => {
    const browser = new Browser()
    return browser.submit(await start(browser), fields)
  }

  it('is told in the audit trail, never itself', async () => {
    const login = 'logged@example.com'
    await submitted({ login, password: 'canary of a password' })
    const rows = await database.many<{ row: string }>(sql`
      select row_to_json(e)::text as row from audit.entries e where e.details like ${`%${login}%`}`)
    expect(rows).toHaveLength(1)
    expect(JSON.parse(rows[0]?.row ?? '')).toMatchObject({
      action: 'session.refused',
      actor: 'nobody',
      subject: 'provider:prismeai',
      ip: '127.0.0.1',
      correlation_id: expect.any(String),
    })
  })

  it('is not told where it was typed into the field of the address', async () => {
    await submitted({ login: 'hunter2-canary', password: 'hunter2-canary' })
    const rows = await database.many(sql`select 1 from audit.entries where details ilike '%hunter2-canary%'`)
    expect(rows).toHaveLength(0)
  })

  it('says what an account that was not confirmed waits for, to whoever knows its password', async () => {
    await database.many(sql`update gateway.users set status = 'pending' where email = ${ADMIN.email}`)
    try {
      const offers = { ...noOffers, validationUrl: (uid: string) => `https://mail.example/${uid}` }
      const asAdministrator = { ...noOffers, validatedBy: 'administrator' as const }
      for (const [given, text, link] of [
        [offers, 'Confirm your e-mail address first', true],
        [asAdministrator, 'An administrator has to approve this account first', false],
      ] as const) {
        await using other = await startIdentityServer({ database, offers: given })
        const browser = new Browser()
        const page = await browser.submit(await browser.visit(`${other.origin}/signin`), credentials)
        expect([page.status, page.text.includes(text)]).toEqual([403, true])
        expect(page.text.includes('href="https://mail.example/')).toBe(link)
        const guessed = await browser.submit(page, { ...credentials, password: 'not the password' })
        expect([guessed.status, guessed.text.includes(text)]).toEqual([401, false])
      }
    } finally {
      await database.many(sql`update gateway.users set status = 'validated' where email = ${ADMIN.email}`)
    }
  })
})

describe('the other ways in', () => {
  const offers = {
    ...noOffers,
    links: (uid: string) => [{ text: 'Create an account', url: `https://gateway.example/${uid}` }],
    providers: async () => [{ name: 'Acme <SSO>', url: 'https://sso.example/start' }],
  }

  it('stand beside the password', async () => {
    await using other = await startIdentityServer({ database, offers })
    const { text } = await new Browser().visit(`${other.origin}/signin`)
    expect(text).toContain('type="password"')
    expect(text).toMatch(
      /<a class="[^"]+" href="https:\/\/sso.example\/start">Continue with Acme &lt;SSO&gt;</,
    )
    expect(text).toMatch(/<a href="https:\/\/gateway.example\/[^"]+">Create an account</)
  })

  it('are all there is with DISABLE_LOCAL_SIGNIN, which takes no password either', async () => {
    await using other = await startIdentityServer({ database, offers, env: { DISABLE_LOCAL_SIGNIN: 'true' } })
    const browser = new Browser()
    const page = await browser.visit(`${other.origin}/signin`)
    expect(page.text).not.toContain('type="password"')
    expect(page.text).toContain('Continue with Acme')
    const refused = await browser.visit(`${page.url}/login`, { form: credentials })
    expect([refused.status, refused.text.includes('takes no passwords')]).toEqual([403, true])
  })
})

describe('an account that is gone', () => {
  it('is asked for another one instead of an error', async () => {
    const browser = new Browser()
    await browser.submit(await start(browser), credentials)
    await database.many(sql`update gateway.users set status = 'deactivated' where email = ${ADMIN.email}`)
    try {
      const page = await browser.visit(authorizationOf(server).url)
      expect(page.status).toBe(200)
      expect(page.text).toContain('type="password"')
    } finally {
      await database.many(sql`update gateway.users set status = 'validated' where email = ${ADMIN.email}`)
    }
  })
})

describe('limits of sign-in attempts', () => {
  it('let five a minute through for an address, known or not, and say how long to wait', async () => {
    await using limited = await startIdentityServer({ database, attemptsLimited: true })
    const statusesOf = async (login: string) => {
      const browser = new Browser()
      let page = await browser.visit(`${limited.origin}/signin`)
      const statuses: number[] = []
      for (let count = 0; count < 6; count += 1) {
        page = await browser.submit(page, { login, password: 'not the password' })
        statuses.push(page.status)
      }
      return { statuses, page }
    }
    for (const login of ['nobody@example.com', 'somebody@example.com']) {
      const { statuses, page } = await statusesOf(login)
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
      expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(page.text).toContain('Too many attempts.')
    }
  })

  it('lock nobody out of a browser they have signed in with before, whatever others try elsewhere', async () => {
    await using limited = await startIdentityServer({ database, attemptsLimited: true })
    const known = new Browser()
    const authorization = (prompt?: string) => authorizationOf(limited, { prompt }).url
    const done = await known.submit(await known.visit(authorization()), credentials)
    expect(done.status).toBe(303)

    const stranger = new Browser()
    let page = await stranger.visit(authorization())
    for (let count = 0; count < 6; count += 1)
      page = await stranger.submit(page, { ...credentials, password: 'not the password' })
    expect(page.status).toBe(429)
    expect((await stranger.submit(page, credentials)).status).toBe(429)

    const wrong = await known.submit(await known.visit(authorization('login')), {
      ...credentials,
      password: 'not the password',
    })
    expect(wrong.status).toBe(401)
    expect((await known.submit(wrong, credentials)).status).toBe(303)

    // The cookie says nothing about other accounts, and can't be made up.
    const [name = '', cookie] = [...known.cookies].find(([key]) => key.startsWith('_device_')) ?? []
    const forged = new Browser()
    const form = await forged.visit(authorization())
    forged.cookies.set(name, { value: `${cookie?.value.slice(0, -4)}AAAA`, path: '/oidc' })
    expect((await forged.submit(form, credentials)).status).toBe(429)
    expect(name + cookie?.value).not.toContain('ada')
  })

  it('count a known browser too: five a minute', async () => {
    await using limited = await startIdentityServer({ database, attemptsLimited: true })
    const known = new Browser()
    await known.submit(await known.visit(authorizationOf(limited).url), credentials)
    let page = await known.visit(authorizationOf(limited, { prompt: 'login' }).url)
    const statuses: number[] = []
    for (let count = 0; count < 6; count += 1) {
      page = await known.submit(page, { ...credentials, password: 'not the password' })
      statuses.push(page.status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })
})
