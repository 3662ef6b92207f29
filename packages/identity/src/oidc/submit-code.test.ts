import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import {
  addAuthenticator,
  addPerson,
  afterPassword,
  amrOf,
  codeOf,
  PASSWORD,
  wrongCode,
} from '../../test/second-factors.ts'
import { authorizationOf, Browser, type Visited } from '../../test/sign-in.ts'

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

const personWithCode = async (email: string) => addAuthenticator(server, await addPerson(server, email))

describe('a sign-in with a second factor', () => {
  it('asks for the code after the password, in a field phones fill in, and works without scripts', async () => {
    await personWithCode('asks@example.com')
    const { page } = await afterPassword(server, 'asks@example.com')
    expect(page.status).toBe(200)
    expect(page.text).toMatch(/<input[^>]+inputmode="numeric" autocomplete="one-time-code"/)
    expect(page.text).toContain('<label for="code">Six-digit code</label>')
    expect(page.text).toContain('asks@example.com')
    expect(page.text).not.toMatch(/<script|type="password"/)
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' http://console.localhost:3000;",
    )
  })

  it('ends with a code of the console and says how somebody proved who they are', async () => {
    const { secret } = await personWithCode('ends@example.com')
    const { authorization, browser, page } = await afterPassword(server, 'ends@example.com')
    const back = await browser.submit(page, { code: ` ${codeOf(secret, 1).replace(/(...)/, '$1 ')}` })
    expect(await amrOf(server, authorization, back)).toEqual(['pwd', 'otp', 'mfa'])
  })

  it('says so as well where the password is enough', async () => {
    await addPerson(server, 'plain@example.com')
    const { authorization, page } = await afterPassword(server, 'plain@example.com')
    expect(await amrOf(server, authorization, page)).toEqual(['pwd'])
  })

  it('refuses a wrong code with 401, shows the form again and takes the right one then', async () => {
    const { secret } = await personWithCode('wrong@example.com')
    const { authorization, browser, page } = await afterPassword(server, 'wrong@example.com')
    const again = await browser.submit(page, { code: wrongCode(secret) })
    expect([again.status, again.text.includes('role="alert"')]).toEqual([401, true])
    expect(again.text).toContain('aria-invalid="true"')
    expect((await browser.submit(again, { code: '' })).status).toBe(400)
    const back = await browser.submit(again, { code: codeOf(secret, 1) })
    expect(await amrOf(server, authorization, back)).toEqual(['pwd', 'otp', 'mfa'])
  })

  it('takes each code once: of two sign-ins at the same time one ends', async () => {
    const { secret } = await personWithCode('once@example.com')
    const both = await Promise.all([
      afterPassword(server, 'once@example.com'),
      afterPassword(server, 'once@example.com'),
    ])
    const code = codeOf(secret, 1)
    const ends = await Promise.all(both.map(({ browser, page }) => browser.submit(page, { code })))
    expect(ends.map(({ status }) => status).toSorted()).toEqual([303, 401])
  })

  it('takes a recovery code instead, once', async () => {
    const { recoveryCodes } = await personWithCode('lost@example.com')
    const [code = ''] = recoveryCodes
    const first = await afterPassword(server, 'lost@example.com')
    const form = await first.browser.visit(`${first.page.url}/recovery-code`)
    expect(first.page.text).toContain(`href="${form.url}"`)
    const back = await first.browser.submit(form, { code: code.toLowerCase(), kind: 'recovery' })
    expect(await amrOf(server, first.authorization, back)).toEqual(['pwd', 'otp', 'mfa'])
    const second = await afterPassword(server, 'lost@example.com')
    const refused = await second.browser.submit(second.page, { code, kind: 'recovery' })
    expect([refused.status, refused.text.includes('name="kind" value="recovery"')]).toEqual([401, true])
  })

  it('leads back to the form, for another account', async () => {
    await personWithCode('first@example.com')
    await addPerson(server, 'second@example.com')
    const { authorization, browser, page } = await afterPassword(server, 'first@example.com')
    const form = await browser.visit(`${page.url}/password`)
    expect(page.text).toContain(`href="${form.url}"`)
    const back = await browser.submit(form, { login: 'second@example.com', password: PASSWORD })
    expect(await amrOf(server, authorization, back)).toEqual(['pwd'])
  })

  it('asks in French', async () => {
    await personWithCode('francais@example.com')
    const { page } = await afterPassword(server, 'francais@example.com', { changed: { ui_locales: 'fr' } })
    expect(page.text).toContain('Saisissez votre code')
  })

  it('asks for both again with prompt=login and when max_age has passed', async () => {
    const { secret } = await personWithCode('again@example.com')
    const { browser, page } = await afterPassword(server, 'again@example.com')
    await browser.submit(page, { code: codeOf(secret, 1) })
    expect((await browser.visit(authorizationOf(server).url)).status).toBe(303)
    for (const changed of [{ prompt: 'login' }, { max_age: '0' }]) {
      const next = await afterPassword(server, 'again@example.com', { changed, browser })
      expect(next.page.text).toContain('autocomplete="one-time-code"')
    }
  })
})

describe('limits of codes', () => {
  it('let five a minute through for an account, from whatever browser, and say how long to wait', async () => {
    await using limited = await startIdentityServer({ database, attemptsLimited: true })
    const { secret } = await addAuthenticator(limited, await addPerson(limited, 'guessed@example.com'))
    const statuses: number[] = []
    let last: Visited | undefined
    for (const _ of [1, 2]) {
      const browser = new Browser()
      const form = await browser.visit(authorizationOf(limited).url)
      let page = await browser.submit(form, { login: 'guessed@example.com', password: PASSWORD })
      for (let count = 0; count < 6; count += 1) {
        page = await browser.submit(page, { code: wrongCode(secret) })
        statuses.push(page.status)
      }
      last = page
    }
    // Two windows where the minute ends in between.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
    expect(last?.status).toBe(429)
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(last?.text).toContain('Too many attempts.')
  })
})
