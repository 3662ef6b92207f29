import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountPages, startAccountPages } from '../../test/account-pages.ts'
import { somebody } from '../../test/accounts.ts'
import {
  type Chromium,
  chromiumPath,
  follow,
  type Look,
  lookClosely,
  mailedLink,
  send,
  startChromium,
} from '../../test/chromium.ts'

const MINUTES_MS = 180_000
const chromium = chromiumPath()

type Person = ReturnType<typeof somebody>

const idOfFocus = (page: Page) => page.locator(':focus').getAttribute('id')

const NEW_PASSWORD = 'quite another password'

/** What somebody does with an account, from its first page to its last; by structure alone, so in any language. */
const steps = {
  'from signing up to signing out': async (pages, page, person, look) => {
    await signUp(pages, page, person, look)
    await signIn(page, person, look)
    await signOut(page, look)
  },
  'to another password': async (pages, page, person, look) => {
    await replacePassword(pages, page, person, NEW_PASSWORD, look)
    await signIn(page, { ...person, password: NEW_PASSWORD })
  },
  'to the end of the account': deleteAccount,
} satisfies Record<string, (pages: AccountPages, page: Page, person: Person, look: Look) => Promise<void>>

async function signUp(pages: AccountPages, page: Page, person: Person, look: Look): Promise<void> {
  await page.goto(`${pages.origin}/signin`)
  await look(page, 'sign-in')
  await send(page, { login: person.email, password: 'not the password' })
  await look(page, 'sign-in-problem')
  await follow(page, 'a[href$="/signup"]')
  await look(page, 'sign-up')
  const { email, password, firstName, lastName } = person
  await send(page, { email, password, firstName, lastName: '<3' })
  expect(await idOfFocus(page)).toBe('lastName')
  expect(await page.locator('#email').inputValue()).toBe(email)
  expect(await page.locator('#password').inputValue()).toBe('')
  await look(page, 'sign-up-problem')
  await send(page, { lastName, password })
  await look(page, 'check-your-mail')

  const first = await mailedLink(pages, email, '/account/validate')
  await send(page)
  await look(page, 'mailed-again')
  await page.goto(await mailedLink(pages, email, '/account/validate', [first]))
  await look(page, 'confirm-address')
  await send(page)
  await look(page, 'address-confirmed')
  await follow(page, 'a.button')
  expect(page.url()).toMatch(/\/oidc\/interaction\/[\w-]+$/)
}

/** A password that is chosen can be shown, and says how strong it is, by keyboard too. */
async function showPassword(page: Page, password: string): Promise<void> {
  const [field, strength, button] = ['#password', '#password-strength', 'button.reveal'].map((at) =>
    page.locator(at),
  )
  if (field === undefined || strength === undefined || button === undefined) throw new Error('unreachable')
  await field.fill('password1')
  expect(await strength.textContent()).toBe('Strength: easy to guess')
  await field.fill(password)
  expect(await strength.textContent()).toBe('Strength: hard to guess')
  await button.press('Enter')
  expect([await field.getAttribute('type'), await button.getAttribute('aria-pressed')]).toEqual([
    'text',
    'true',
  ])
  await button.press('Enter')
  expect([await field.getAttribute('type'), await field.inputValue()]).toEqual(['password', password])
}

async function signIn(page: Page, person: Person, look?: Look): Promise<void> {
  await send(page, { login: person.email, password: person.password })
  expect(new URL(page.url()).pathname).toBe('/signin/callback')
  await look?.(page, 'signed-in')
}

async function signOut(page: Page, look: Look): Promise<void> {
  await follow(page, 'a[href*="/session/end"]')
  await look(page, 'sign-out')
  await send(page)
  await look(page, 'signed-out')
}

async function replacePassword(
  pages: AccountPages,
  page: Page,
  { email }: Person,
  password: string,
  look: Look,
): Promise<void> {
  await page.goto(`${pages.origin}/signin`)
  await follow(page, 'a[href$="/forgot"]')
  await look(page, 'forgotten-password')
  await send(page, { email })
  await look(page, 'link-sent')
  const link = await mailedLink(pages, email, '/account/password')
  await page.goto(link)
  await look(page, 'new-password')
  // Long enough for the browser, which counts in another way than people do.
  await send(page, { password: '🔑🔑🔑🔑' })
  expect(await idOfFocus(page)).toBe('password')
  await look(page, 'new-password-problem')
  await send(page, { password })
  await look(page, 'password-set')
  await page.goto(link)
  await look(page, 'bad-link')
  await follow(page, 'a.button')
  await page.goto(`${pages.origin}/signin`)
}

async function deleteAccount(pages: AccountPages, page: Page, { email }: Person, look: Look): Promise<void> {
  const cookies = await page.context().cookies()
  const token = cookies.find(({ name }) => name === 'access-token')?.value
  const headers = { authorization: `Bearer ${token}` }
  const asked = await fetch(`${pages.origin}/v2/user`, { method: 'DELETE', headers })
  expect(asked.status).toBe(200)
  await page.goto(await mailedLink(pages, email, '/account/deletion'))
  await look(page, 'delete-account')
  await send(page)
  await look(page, 'account-deleted')
  expect((await fetch(`${pages.origin}/v2/me`, { headers })).status).toBe(401)
}

const lookAtLanguage: Look = async (page) => {
  expect(await page.locator('html').getAttribute('lang')).toBe('fr')
}

describe.skipIf(chromium === undefined)('the pages of accounts in Chromium', () => {
  let browser: Chromium
  let pages: AccountPages
  beforeAll(async () => {
    browser = await startChromium(chromium ?? '')
    pages = await startAccountPages({ ACCOUNT_VALIDATION_METHOD: 'email' })
  })
  afterAll(async () => {
    await pages?.[Symbol.asyncDispose]()
  })

  describe.each([
    ['in English; axe finds nothing on any of them', 'en', { locale: 'en-GB' }, lookClosely],
    ['in French and without JavaScript', 'fr', { locale: 'fr-FR', javaScriptEnabled: false }, lookAtLanguage],
  ] as const)('carry somebody %s', (_, language, options, look) => {
    let opened: Awaited<ReturnType<Chromium['openPage']>>
    const person = somebody({ language })
    beforeAll(async () => {
      opened = await browser.openPage(options)
    }, MINUTES_MS)
    afterAll(() => opened?.[Symbol.asyncDispose]())

    it.each(Object.entries(steps))(
      '%s',
      async (_, step) => {
        await step(pages, opened.page, person, look)
        opened.expectNobodyElseAsked()
      },
      MINUTES_MS,
    )
  })

  it(
    'show a password that is chosen when asked, and say how strong it is',
    () =>
      browser.withPage({ locale: 'en-GB' }, async (page) => {
        await page.goto(`${pages.origin}/signin`)
        await follow(page, 'a[href$="/signup"]')
        await showPassword(page, 'correct horse battery')
        await lookClosely(page, 'sign-up-strength')
      }),
    MINUTES_MS,
  )

  it(
    'are as accessible where something is wrong, and in French',
    () =>
      browser.withPage({ locale: 'fr-FR' }, async (page) => {
        for (const [name, path] of [
          ['error', '/oidc/interaction/nobodys'],
          ['no-page', '/account/nothing'],
          ['bad-deletion-link', '/account/deletion?token=x'],
          ['mail-validation-link', '/account/validate'],
        ] as const) {
          await page.goto(`${pages.origin}${path}`)
          await lookClosely(page, name)
        }
        await page.goto(`${pages.origin}/signin`)
        await follow(page, 'a[href$="/signup"]')
        await page.evaluate('document.forms[0].noValidate = true')
        await send(page, { email: 'ada', lastName: 'x'.repeat(60) })
        expect(await idOfFocus(page)).toBe('firstName')
        await lookClosely(page, 'sign-up-problems')
        // Said once: beside the field.
        expect(await page.locator('.error').getByText('mot de passe').count()).toBe(0)
        expect(await page.locator('#password-problem').count()).toBe(1)
      }),
    MINUTES_MS,
  )
})
