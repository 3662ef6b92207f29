import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AccountPages,
  followLink,
  linkOf,
  makeAccount,
  startAccountPages,
  submitForm,
  tokenOf,
} from '../../test/account-pages.ts'
import { somebody } from '../../test/accounts.ts'
import { Browser } from '../../test/sign-in.ts'

let pages: AccountPages
beforeAll(async () => {
  pages = await startAccountPages({ ACCOUNT_VALIDATION_METHOD: 'email' })
})
afterAll(() => pages[Symbol.asyncDispose]())

const madeUp = () => randomBytes(24).toString('hex')
const pageOf = (name: string, token?: string) =>
  `${pages.origin}/account/${name}${token === undefined ? '' : `?token=${token}`}`

describe('a mailed link', () => {
  it.each(['password', 'validate', 'deletion'])(
    'to %s leads to a page nobody keeps or is told of',
    async (name) => {
      for (const url of [pageOf(name, madeUp()), pageOf(name, 'short'), pageOf(name, `${madeUp()}<b>`)]) {
        const page = await new Browser().visit(url)
        expect(page.headers.get('referrer-policy')).toBe('no-referrer')
        expect(page.headers.get('cache-control')).toBe('no-store')
        expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
        expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
        expect(page.text).not.toContain('<b>')
      }
    },
  )

  it.each(['password', 'validate', 'deletion'])(
    'to %s that is not good is 400 and changes nothing',
    async (name) => {
      const refused = await new Browser().visit(pageOf(name), {
        form: { token: madeUp(), password: 'a good new password' },
      })
      expect(refused.status).toBe(400)
      expect(refused.text).toContain('role="alert"')
      expect(refused.text).toContain('This link can’t be used')
    },
  )

  it('is refused from another site; an old browser that hides where it is may go on', async () => {
    const send = (headers: Record<string, string>) =>
      new Browser().visit(pageOf('validate'), { form: { token: madeUp() }, headers })
    expect((await send({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await send({ origin: 'null', 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await send({ origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(400)
    expect((await send({ origin: 'null' })).status).toBe(400)
  })

  it('is answered in the language of the browser, and with 404 and 405 pages', async () => {
    const french = await new Browser().visit(pageOf('password'), { headers: { 'accept-language': 'fr' } })
    expect(french.text).toContain('Mot de passe oublié')
    expect((await new Browser().visit(pageOf('nothing'))).status).toBe(404)
    const wrong = await fetch(pageOf('password'), { method: 'DELETE' })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    expect((await fetch(pageOf('password'), { method: 'HEAD' })).status).toBe(200)
  })
})

describe('a forgotten password', () => {
  it('is replaced by mail, and the sign-in goes on where it was left', async () => {
    const person = somebody()
    await makeAccount(pages, person)
    const browser = new Browser()
    const asked = await submitForm(browser, await followLink(pages.origin, 'forgot', browser), {
      email: ` ${person.email.toUpperCase()} `,
    })
    expect(asked.status).toBe(200)
    expect(asked.text).toContain('Check your mail')

    const { url } = await pages.mailTo(person.email, 2)
    const form = await browser.visit(url)
    expect(form.status).toBe(200)
    const short = await submitForm(browser, form, { password: 'short' })
    expect(short.status).toBe(400)
    expect(short.headers.get('referrer-policy')).toBe('no-referrer')
    expect(short.text).toContain('aria-describedby="password-problem password-hint"')
    const password = 'another good password'
    const done = await submitForm(browser, short, { password })
    expect(done.status).toBe(200)
    expect(done.text).toContain('Your password is set')

    const next = await browser.visit(linkOf(done, 'Sign in'))
    expect(next.url).toBe(asked.url.replace(/\/forgot$/, ''))
    const signedIn = await browser.submit(next, { login: person.email, password })
    expect(signedIn.text).toContain('You are signed in')
    expect(await tokenOf(pages.origin, person)).toBeUndefined()
  })

  it('is replaced once by a link; the page then says so and leads to another one', async () => {
    const person = somebody()
    await makeAccount(pages, person)
    const browser = new Browser()
    await browser.visit(pageOf('password'), { form: { email: person.email } })
    const { url } = await pages.mailTo(person.email, 2)
    const form = await browser.visit(url)
    const [first, second] = [
      await submitForm(browser, form, { password: 'another good password' }),
      await submitForm(browser, form, { password: 'a third good password' }),
    ]
    expect([first.status, second.status, (await browser.visit(url)).status]).toEqual([200, 400, 400])
    expect(linkOf(second, 'Get a new link')).toBe(pageOf('password'))
    expect(linkOf(first, 'Sign in')).toBe(`${pages.origin}/signin`)
  })

  it('says the same for an address nobody has, and writes to nobody', async () => {
    const email = somebody().email
    const page = await new Browser().visit(pageOf('password'), { form: { email } })
    expect(page.status).toBe(200)
    expect(page.text).toContain(`If there is an account for ${email}`)
    expect((await pages.mails()).filter(({ to }) => to === email)).toEqual([])
  })

  it.each(['', 'ada', 'a@b@c', '<script>'])('needs an address, not %j', async (email) => {
    const page = await new Browser().visit(pageOf('password'), { form: { email } })
    expect(page.status).toBe(400)
    expect(page.text).toContain('aria-describedby="email-problem"')
    expect(page.text).not.toContain('<script>')
  })

  it('begins a new sign-in where the old one is over, or was another browser’s', async () => {
    const forgot = await followLink(pages.origin, 'forgot')
    const stranger = new Browser()
    const next = await stranger.visit(forgot.url.replace(/forgot$/, 'continue'))
    expect(next.status).toBe(200)
    expect(next.text).toContain('name="password"')
    expect(next.url).not.toBe(forgot.url.replace(/\/forgot$/, ''))
  })
})

describe('mails asked for again and again', () => {
  it('are 429 from the limits of the API on, whichever page asks', async () => {
    await using limited = await startAccountPages({
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_PASSWORD_RESET: '1',
      RATE_LIMIT_VALIDATION_MAIL: '1',
    })
    for (const [name, path] of [
      ['password', '/v2/user/password'],
      ['validate', '/v2/user/validate'],
    ] as const) {
      const statuses = []
      for (let time = 0; time < 2; time += 1) {
        const form = { email: somebody().email }
        const page = await new Browser().visit(`${limited.origin}/account/${name}`, { form })
        const body = JSON.stringify(form)
        const headers = { 'content-type': 'application/json' }
        const api = await fetch(`${limited.origin}${path}`, { method: 'POST', body, headers })
        statuses.push(page.status, api.status)
        if (page.status === 429) expect(page.text).toMatch(/Wait \d+ seconds/)
      }
      // A minute may end in between, but not twice.
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(2)
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(2)
    }
  })
})
