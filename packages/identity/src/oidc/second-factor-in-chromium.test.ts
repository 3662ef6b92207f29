import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chromium, chromiumPath, follow, send, startChromium } from '../../test/chromium.ts'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { addPerson, codeOf, PASSWORD, wrongCode } from '../../test/second-factors.ts'

const MINUTES_MS = 180_000
const chromium = chromiumPath()

describe.skipIf(chromium === undefined)('a sign-in with a second factor in Chromium, without scripts', () => {
  let database: Awaited<ReturnType<typeof identityDatabase>>
  let server: IdentityServer
  let browser: Chromium
  beforeAll(async () => {
    database = await identityDatabase()
    server = await startIdentityServer({ database, env: { MFA_FORCE_LOCAL: 'true' } })
    browser = await startChromium(chromium ?? '')
  }, MINUTES_MS)
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  /** A browser nobody is signed in with, past the password. */
  const afterPassword = (locale: string, email: string, go: (page: Page) => Promise<void>) =>
    browser.withPage({ javaScriptEnabled: false, locale }, async (page) => {
      await page.goto(`${server.origin}/signin`)
      await send(page, { login: email, password: PASSWORD })
      await go(page)
      expect(page.url()).toBe(`${server.origin}/signin/callback`)
    })

  it.each(['en', 'fr'])(
    'ends for readers of “%s”: with enrolment, with a code, with a recovery code',
    async (locale) => {
      const email = `${locale}@example.com`
      await addPerson(server, email)
      let secret = ''
      let recoveryCode: string | undefined
      await afterPassword(locale, email, async (page) => {
        secret = ((await page.locator('.key code').textContent()) ?? '').replaceAll(' ', '')
        await send(page, { code: wrongCode(secret) })
        expect(await page.locator(':focus').getAttribute('id')).toBe('code')
        await send(page, { code: codeOf(secret) })
        ;[recoveryCode] = await page.locator('.codes code').allTextContents()
        await page.locator('#kept').check()
        await send(page)
      })
      await afterPassword(locale, email, (page) => send(page, { code: codeOf(secret, 1) }))
      await afterPassword(locale, email, async (page) => {
        await follow(page, 'a[href$="/recovery-code"]')
        await send(page, { code: recoveryCode ?? '' })
      })
    },
    MINUTES_MS,
  )
})
