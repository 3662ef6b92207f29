import { createAuthProvider } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chromium, chromiumPath, lookClosely, send, startChromium } from '../../../test/chromium.ts'
import { asRoot, CLIENT, startWorld, type World } from '../../../test/external-providers.ts'

const MINUTE_MS = 60_000
const chromium = chromiumPath()

describe.skipIf(chromium === undefined)('signing in at another provider, in Chromium', () => {
  let world: World
  let browser: Chromium
  beforeAll(async () => {
    world = await startWorld()
    const root = await asRoot(world)
    const config = { ...CLIENT, issuer: world.idp.url }
    const body = {
      slug: 'hopper',
      name: 'Hopper',
      type: 'oidc',
      config,
      domains: ['hopper.example'],
    } as const
    await root(createAuthProvider, {
      params: { orgSlug: 'hopper' },
      body: { ...body, domains: ['hopper.example'] },
    })
    browser = await startChromium(chromium ?? '')
  }, MINUTE_MS)
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
  })

  it(
    'is a click on its button',
    () =>
      browser.withPage({}, async (page) => {
        world.idp.person = { sub: 'clicker', given_name: 'Clara' }
        await page.goto(`${world.origin}/signin`)
        await lookClosely(page, 'sign-in-with-providers')
        await page.locator('a[href*="provider=acme"]').click()
        await page.waitForURL(`${world.origin}/signin/callback`)
        expect(await page.locator('main').textContent()).toContain('Clara')
      }),
    MINUTE_MS,
  )

  it.each([true, false])(
    'is the address of a domain, whatever the policy of the form allows; scripts on: %s',
    (javaScriptEnabled) =>
      browser.withPage({ javaScriptEnabled }, async (page) => {
        world.idp.person = { sub: 'typist', email: 'typist@hopper.example', email_verified: true }
        await page.goto(`${world.origin}/signin`)
        await page.locator('#login').fill('typist@hopper.example')
        await page.locator('#password').fill('anything at all')
        await page.locator('button[type=submit]').click()
        await page.waitForURL(`${world.origin}/signin/callback`)
        expect(await page.locator('main').textContent()).toContain('typist@hopper.example')
      }),
    MINUTE_MS,
  )

  it.each(['en', 'fr'])(
    'ends on a page for everybody when it fails, in %s',
    (locale) =>
      browser.withPage({ locale }, async (page) => {
        await page.goto(`${world.origin}/signin`)
        await page.locator('a[href*="provider=down"]').click()
        await lookClosely(page, `provider-down-${locale}`)
        await page.locator('a.button').click()
        await send(page, { login: 'root@example.com', password: 'a password of the tests' })
        expect(page.url()).toBe(`${world.origin}/signin/callback`)
      }),
    MINUTE_MS,
  )
})
