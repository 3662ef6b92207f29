import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AccountPages,
  followLink,
  startAccountPages,
  submitForm,
  tokenOf,
} from '../../test/account-pages.ts'
import { somebody } from '../../test/accounts.ts'
import { Browser } from '../../test/sign-in.ts'

describe('signing up where accounts can be used at once', () => {
  let pages: AccountPages
  beforeAll(async () => {
    pages = await startAccountPages({ ACCOUNT_VALIDATION_METHOD: 'auto' })
  })
  afterAll(() => pages[Symbol.asyncDispose]())

  it('ends the sign-in somebody came from', async () => {
    const browser = new Browser()
    const person = somebody()
    const page = await followLink(pages.origin, 'signup', browser)
    expect(page.status).toBe(200)
    const done = await submitForm(browser, page, { ...person })
    expect(done.url).toBe(`${pages.origin}/signin/callback`)
    expect(done.text).toContain(person.email)
    expect(browser.cookies.has('access-token')).toBe(true)
  })

  it('keeps the language of the page as that of the account', async () => {
    const headers = { 'accept-language': 'fr' }
    const browser = new Browser()
    const person = somebody()
    const page = await followLink(pages.origin, 'signup', browser, headers)
    expect(page.text).toContain('lang="fr"')
    await submitForm(browser, page, { ...person }, { headers })
    const [row] = await pages.gateway.database.many<{ language: string }>(
      sql`select language from gateway.users where email = ${person.email}`,
    )
    expect(row?.language).toBe('fr')
  })

  it('tells 409 at the address when it has an account, and keeps what was typed but the password', async () => {
    const person = somebody()
    const first = new Browser()
    await submitForm(first, await followLink(pages.origin, 'signup', first), { ...person })
    const browser = new Browser()
    const again = await submitForm(browser, await followLink(pages.origin, 'signup', browser), { ...person })
    expect(again.status).toBe(409)
    expect(again.text).toContain('There is an account with this address already')
    expect(again.text).toContain(`value="${person.email}"`)
    expect(again.text).not.toContain(person.password)
  })

  it.each([
    ['an address', { email: 'ada' }, 'email-problem', 'This is no e-mail address'],
    ['any address', { email: '' }, 'email-problem', 'Enter your e-mail address'],
    ['a first name', { firstName: '' }, 'firstName-problem', 'Enter your first name'],
    ['a last name', { lastName: '<b>' }, 'lastName-problem', 'Write the last name'],
    ['8 characters', { password: 'seven 7' }, 'password-problem', 'at least 8 characters'],
    ['at most 128', { password: 'x'.repeat(129) }, 'password-problem', 'at most 128 characters'],
    ['a password', { password: '' }, 'password-problem', 'Choose a password'],
    ['one nobody tries', { password: 'Password123' }, 'password-problem', 'among those that are tried first'],
    [
      'one of its own',
      { lastName: 'Lovelace', password: 'lovelace1815' },
      'password-problem',
      'little beside your name',
    ],
  ])('without %s is 400: announced, and tied to its field', async (_, changed, id, sentence) => {
    const browser = new Browser()
    const page = await followLink(pages.origin, 'signup', browser)
    const refused = await submitForm(browser, page, { ...somebody(), ...changed })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('role="alert"')
    expect(refused.text).toMatch(new RegExp(`aria-invalid="true" aria-describedby="${id}`))
    expect(refused.text).toMatch(new RegExp(`<p class="problem" id="${id}">[^<]*${sentence}`))
    expect(refused.text.split(sentence)).toHaveLength(2) // said once
    expect(refused.text).toMatch(/<title>Your account is not created yet/)
    expect(refused.text).not.toContain('<b>')
  })

  it('takes 128 characters of any script, as people count them', async () => {
    const browser = new Browser()
    const page = await followLink(pages.origin, 'signup', browser)
    const done = await submitForm(browser, page, { ...somebody(), password: '🔑'.repeat(128) })
    expect(done.url).toBe(`${pages.origin}/signin/callback`)
  })

  it('is refused when another site sends the form, or a large one', async () => {
    const browser = new Browser()
    const page = await followLink(pages.origin, 'signup', browser)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await submitForm(browser, page, { ...somebody() }, { headers })).status).toBe(403)
    const large = { ...somebody(), firstName: 'x'.repeat(20_000) }
    expect((await submitForm(browser, page, large)).status).toBe(413)
  })

  it('needs the browser the sign-in began in', async () => {
    const page = await followLink(pages.origin, 'signup')
    const other = await new Browser().visit(page.url)
    expect(other.status).toBe(400)
    expect(other.text).toContain('started in another browser')
  })

  it('answers other methods with 405', async () => {
    const page = await followLink(pages.origin, 'signup')
    expect((await fetch(page.url, { method: 'PUT' })).status).toBe(405)
  })
})

describe('signing up where a mail has to be answered', () => {
  let pages: AccountPages
  beforeAll(async () => {
    pages = await startAccountPages({ ACCOUNT_VALIDATION_METHOD: 'email' })
  })
  afterAll(() => pages[Symbol.asyncDispose]())

  it('says to look into the mail, the same for an address that has an account', async () => {
    const person = somebody()
    const shown = []
    for (let time = 0; time < 2; time += 1) {
      const browser = new Browser()
      const page = await followLink(pages.origin, 'signup', browser)
      const { status, text } = await submitForm(browser, page, { ...person })
      shown.push({ status, text: text.replace(/name="interaction" value="[^"]+"/, '') })
    }
    expect(shown[0]?.status).toBe(200)
    expect(shown[0]?.text).toContain('Check your mail')
    expect(shown[1]).toEqual(shown[0])
    expect(await tokenOf(pages.origin, person)).toBeUndefined()
  })
})

describe('signing up where an administrator decides', () => {
  it('says that somebody will look at it', async () => {
    await using pages = await startAccountPages({ ACCOUNT_VALIDATION_METHOD: 'manual' })
    const browser = new Browser()
    const page = await followLink(pages.origin, 'signup', browser)
    const done = await submitForm(browser, page, { ...somebody() })
    expect(done.status).toBe(200)
    expect(done.text).toContain('An administrator will look at it')
    expect(browser.cookies.has('access-token')).toBe(false)
  })
})

describe('signing up where accounts are not made by people themselves', () => {
  it('is neither offered nor possible', async () => {
    await using pages = await startAccountPages({ DISABLE_LOCAL_SIGNUP: 'true' })
    const browser = new Browser()
    const page = await followLink(pages.origin, 'forgot', browser)
    await expect(followLink(pages.origin, 'signup', browser)).rejects.toThrow('no link')
    const signUp = page.url.replace(/forgot$/, 'signup')
    expect((await browser.visit(signUp)).status).toBe(400)
    const current = await followLink(pages.origin, 'forgot', browser)
    const own = current.url.replace(/forgot$/, 'signup')
    expect((await browser.visit(own)).status).toBe(403)
    expect((await browser.visit(own, { form: { ...somebody() } })).status).toBe(403)
  })
})

describe('signing up again and again', () => {
  it('is 429 from the limit of the API on, and says how long to wait', async () => {
    await using pages = await startAccountPages({
      ACCOUNT_VALIDATION_METHOD: 'email',
      RATE_LIMIT_DISABLED: 'false',
      RATE_LIMIT_SIGNUP: '1',
    })
    const browser = new Browser()
    const page = await followLink(pages.origin, 'signup', browser)
    const invalid = await submitForm(browser, page, { ...somebody(), email: 'none' })
    expect(invalid.status).toBe(400)
    const answers = []
    for (let time = 0; time < 3; time += 1) answers.push(await submitForm(browser, page, { ...somebody() }))
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(refused?.text).toMatch(/Wait \d+ seconds/)
    expect(refused?.text).toContain('value="Lovelace"')
  })
})
