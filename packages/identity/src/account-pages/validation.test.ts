import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AccountPages,
  followLink,
  linkOf,
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

describe('the confirmation of an address', () => {
  it('needs a click: opening the link changes nothing', async () => {
    const person = somebody()
    const browser = new Browser()
    const signUp = await followLink(pages.origin, 'signup', browser)
    await submitForm(browser, signUp, { ...person })
    const { url } = await pages.mailTo(person.email)
    for (let time = 0; time < 3; time += 1) expect((await new Browser().visit(url)).status).toBe(200)
    expect(await tokenOf(pages.origin, person)).toBeUndefined()

    const done = await submitForm(browser, await browser.visit(url))
    expect(done.status).toBe(200)
    expect(done.text).toContain('Your address is confirmed')
    const next = await browser.visit(linkOf(done, 'Sign in'))
    expect(next.url).toBe(signUp.url.replace(/\/signup$/, ''))
    const again = await submitForm(browser, await browser.visit(url))
    expect(again.status).toBe(400)
    expect(await tokenOf(pages.origin, person)).toBeDefined()
  })

  it('is mailed again by the page that says to look into the mail, and by that of the sign-in', async () => {
    const person = somebody()
    const browser = new Browser()
    const signUp = await followLink(pages.origin, 'signup', browser)
    const told = await submitForm(browser, signUp, { ...person })
    const again = await submitForm(browser, told)
    expect(again.status).toBe(200)
    expect(again.text).toContain('the link is on its way again')
    await pages.mailTo(person.email, 2)

    const refused = await browser.submit(await browser.visit(`${pages.origin}/signin`), {
      login: person.email,
      password: person.password,
    })
    const form = await browser.visit(linkOf(refused, 'Send the mail again'))
    const sent = await submitForm(browser, form, { email: person.email })
    expect(sent.status).toBe(200)
    const { url } = await pages.mailTo(person.email, 3)
    const done = await submitForm(browser, await browser.visit(url))
    expect((await browser.visit(linkOf(done, 'Sign in'))).url).toMatch(/\/oidc\/interaction\/[\w-]+$/)
  })
})

describe('the confirmation of an address where an administrator decides', () => {
  it('does not promise what only the administrator gives', async () => {
    await using manual = await startAccountPages({ ACCOUNT_VALIDATION_METHOD: 'manual' })
    const person = somebody()
    const browser = new Browser()
    await submitForm(browser, await followLink(manual.origin, 'signup', browser), { ...person })
    await browser.visit(`${manual.origin}/account/validate`, { form: { email: person.email } })
    const { url } = await manual.mailTo(person.email)
    const done = await submitForm(browser, await browser.visit(url))
    expect(done.status).toBe(200)
    expect(done.text).toContain('An administrator will look at it')
    expect(await tokenOf(manual.origin, person)).toBeUndefined()
  })
})
