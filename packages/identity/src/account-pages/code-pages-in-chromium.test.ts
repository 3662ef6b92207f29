import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as OTPAuth from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccountPages, startAccountPages } from '../../test/account-pages.ts'
import { somebody } from '../../test/accounts.ts'
import { type Chromium, chromiumPath, follow, lookClosely, send, startChromium } from '../../test/chromium.ts'
import { challengeOf } from '../oidc/sign-in-ticket.ts'

const MINUTES_MS = 180_000
const chromium = chromiumPath()

type Person = ReturnType<typeof somebody>

describe.skipIf(chromium === undefined)('the pages of codes and consent in Chromium', () => {
  let browser: Chromium
  let pages: AccountPages
  const app = createServer((_, response) => response.end('the app'))
  let appUrl: string
  beforeAll(async () => {
    browser = await startChromium(chromium ?? '')
    await once(app.listen(0, '127.0.0.1'), 'listening')
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
    const client = {
      client_id: 'their-app',
      client_name: 'Their app',
      redirect_uris: ['http://127.0.0.1/callback'],
    }
    pages = await startAccountPages({
      ACCOUNT_VALIDATION_METHOD: 'auto',
      MFA_FORCE_LOCAL: 'true',
      OIDC_EXTERNAL_CLIENTS: JSON.stringify([{ ...client, firstParty: false }]),
    })
  })
  afterAll(async () => {
    app.closeAllConnections()
    app.close()
    await pages?.[Symbol.asyncDispose]()
  })

  /** Makes an account that has to set up a second factor before it is signed in; answers its recovery codes. */
  async function enrol(page: Page, person: Person): Promise<string[]> {
    await page.goto(`${pages.origin}/signin`)
    await follow(page, 'a[href$="/signup"]')
    const { email, password, firstName, lastName } = person
    await send(page, { email, password, firstName, lastName })
    await lookClosely(page, 'enrol')
    await send(page, { code: '000000' })
    await lookClosely(page, 'enrol-problem')
    const secret = OTPAuth.Secret.fromBase32(
      ((await page.locator('.key code').textContent()) ?? '').replaceAll(' ', ''),
    )
    await send(page, { code: new OTPAuth.TOTP({ secret }).generate() })
    await lookClosely(page, 'recovery-codes')
    const codes = await page.locator('.codes code').allTextContents()
    await page.locator('#kept').check()
    await send(page)
    expect(new URL(page.url()).pathname).toBe('/signin/callback')
    return codes
  }

  function authorization(): string {
    const url = new URL(`${pages.origin}/oidc/auth`)
    const parameters = {
      client_id: 'their-app',
      redirect_uri: appUrl,
      response_type: 'code',
      scope: 'openid profile email',
      state: 'a-state-of-the-app',
      code_challenge: challengeOf('x'.repeat(43)),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  it(
    'lead on one another, and axe finds nothing on any of them',
    async () => {
      const person = somebody()
      const codes: string[] = []
      await browser.withPage({ locale: 'en-GB' }, async (page) => {
        codes.push(...(await enrol(page, person)))
      })
      await browser.withPage({ locale: 'en-GB' }, async (page) => {
        await page.goto(authorization())
        await send(page, { login: person.email, password: person.password })
        await lookClosely(page, 'code')
        await send(page, { code: '000000' })
        await lookClosely(page, 'code-problem')
        await follow(page, 'a[href$="/recovery-code"]')
        await lookClosely(page, 'recovery-code')
        await send(page, { code: codes[0] ?? '' })
        await lookClosely(page, 'consent')
        await follow(page, 'button[value=allow]')
        const { searchParams } = new URL(page.url())
        expect(page.url().startsWith(appUrl)).toBe(true)
        expect(searchParams.get('state')).toBe('a-state-of-the-app')
        expect(searchParams.get('code')).toMatch(/./)
      })
    },
    MINUTES_MS,
  )
})
