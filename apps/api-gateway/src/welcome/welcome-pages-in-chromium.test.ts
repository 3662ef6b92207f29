import { type Chromium, chromiumPath, lookClosely, startChromium } from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

const chromium = chromiumPath()

describe.skipIf(chromium === undefined)('the pages in Chromium', () => {
  let gateway: TestGateway
  let browser: Chromium
  beforeAll(async () => {
    gateway = await startGateway()
    browser = await startChromium(chromium ?? '')
  })
  afterAll(() => gateway?.[Symbol.asyncDispose]())

  test('break no rule, light and dark, wide and on a phone, in both languages', async () => {
    for (const locale of ['en-GB', 'fr-FR'])
      await browser.withPage({ locale }, async (page) => {
        await page.goto(gateway.url)
        await lookClosely(page, `home-${locale}`)
        await page.goto(`${gateway.url}/no-such-page`)
        await lookClosely(page, `missing-${locale}`)
        await page.locator('a.button').click()
        expect(new URL(page.url()).pathname).toBe('/')
      })
  })
})
