import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chromium, chromiumPath, lookClosely, send, startChromium } from '../../test/chromium.ts'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { comeFrom, REGISTRATION_TOKEN, registerClient } from '../../test/registration.ts'
import { authorizationOf } from '../../test/sign-in.ts'

const MINUTES_MS = 180_000
const chromium = chromiumPath()
const guest = {
  client_id: 'guest-app',
  client_name: 'Guest app',
  redirect_uris: ['http://127.0.0.1/callback'],
  resourceScopes: ['events:read' as const],
  firstParty: false,
}

describe.skipIf(chromium === undefined)('the page of consent in Chromium', () => {
  let database: Awaited<ReturnType<typeof identityDatabase>>
  let server: IdentityServer
  let browser: Chromium
  const app = createServer((_, response) => response.end('Back in the app.'))
  let callback: string
  beforeAll(async () => {
    database = await identityDatabase()
    const given = { externalClients: [guest], registrationToken: REGISTRATION_TOKEN }
    server = await startIdentityServer({ database, given })
    browser = await startChromium(chromium ?? '')
    app.listen(0, '127.0.0.1')
    await once(app, 'listening')
    callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`
  }, MINUTES_MS)
  afterAll(async () => {
    app.close()
    app.closeAllConnections()
    await server?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  const open = async (page: Page, changed: Record<string, string> = {}) => {
    const asked = {
      client_id: 'guest-app',
      redirect_uri: callback,
      scope: 'openid email events:read',
      ...changed,
    }
    await page.goto(authorizationOf(server, asked).url)
    await send(page, { login: ADMIN.email, password: ADMIN.password })
  }

  it.each(['en', 'fr'])(
    'shuts nobody out who reads “%s”: light, dark, narrow, and with names that are long',
    async (locale) => {
      const client_name = `Partner ${'of-many-words-without-a-space'.repeat(2)}`
      const client = await registerClient(server, {
        client_name,
        resourceScopes: ['events:read', 'files:write'],
      })
      const { authorization } = await comeFrom(server, client, {
        scope: 'openid profile email settings offline_access events:read files:write',
      })
      await browser.withPage({ locale }, async (page) => {
        await page.goto(authorization.url)
        await send(page, { login: ADMIN.email, password: ADMIN.password })
        expect(await page.locator('html').getAttribute('lang')).toBe(locale)
        await lookClosely(page, `consent-${locale}`)
      })
    },
    MINUTES_MS,
  )

  it.each([
    ['allow', 'code'],
    ['deny', 'error'],
  ])(
    'leads back to the app without scripts, whatever is answered: %s',
    async (decision, parameter) => {
      await browser.withPage({ javaScriptEnabled: false }, async (page) => {
        await open(page)
        const button = page.locator(`button[value=${decision}]`)
        await Promise.all([page.waitForURL(`${callback}?**`), button.click()])
        const answer = new URL(page.url()).searchParams
        expect(answer.get(parameter)).toMatch(/./)
        expect(answer.get('iss')).toBe(server.settings.issuer)
        expect(await page.textContent('body')).toBe('Back in the app.')
      })
    },
    MINUTES_MS,
  )

  it(
    'can be answered with the keyboard alone',
    async () => {
      await browser.withPage({}, async (page) => {
        await open(page)
        await page.keyboard.press('Tab')
        expect(await page.locator(':focus').getAttribute('value')).toBe('allow')
        await page.keyboard.press('Tab')
        expect(await page.locator(':focus').getAttribute('value')).toBe('deny')
        await Promise.all([page.waitForURL(`${callback}?**`), page.keyboard.press('Enter')])
        expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied')
      })
    },
    MINUTES_MS,
  )
})
