import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AccountPages,
  makeAccount,
  startAccountPages,
  submitForm,
  tokenOf,
} from '../../test/account-pages.ts'
import { somebody } from '../../test/accounts.ts'

let pages: AccountPages
beforeAll(async () => {
  pages = await startAccountPages({ ACCOUNT_VALIDATION_METHOD: 'email' })
})
afterAll(() => pages[Symbol.asyncDispose]())

describe('the deletion of an account', () => {
  it('names the account, asks, and then ends it everywhere', async () => {
    const person = somebody()
    const browser = await makeAccount(pages, person)
    const token = await tokenOf(pages.origin, person, browser)
    const headers = { authorization: `Bearer ${token}` }
    const asked = await fetch(`${pages.origin}/v2/user`, { method: 'DELETE', headers })
    expect(asked.status).toBe(200)
    const { url } = await pages.mailTo(person.email, 2)
    const page = await browser.visit(url)
    expect(page.status).toBe(200)
    expect(page.text).toContain(person.email)
    expect((await fetch(`${pages.origin}/v2/me`, { headers })).status).toBe(200)

    const done = await submitForm(browser, page)
    expect(done.status).toBe(200)
    expect(done.text).toContain('Your account is deleted')
    expect(browser.cookies.has('access-token')).toBe(false)
    expect((await fetch(`${pages.origin}/v2/me`, { headers })).status).toBe(401)
    expect(await tokenOf(pages.origin, person)).toBeUndefined()
    expect((await submitForm(browser, page)).status).toBe(400)
  })
})
