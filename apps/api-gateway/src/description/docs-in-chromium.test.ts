import { join } from 'node:path'
import { axeProblems, type Chromium, chromiumPath, startChromium } from '@platform/identity/testing'
import { freePorts } from '@platform/testing/platform'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

const MINUTES_MS = 180_000
const chromium = chromiumPath()

let gateway: TestGateway
beforeAll(async () => {
  const [port] = await freePorts(1)
  const origin = `http://127.0.0.1:${port}`
  gateway = await startGateway({ env: { PORT: String(port), CORS_ADDITIONAL_ALLOWED_ORIGINS: origin } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Everything the browser complained of: a broken policy, a script that failed, a file that is not there. */
const complaintsOf = (page: Page): string[] => {
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  return complaints
}

/** Light and dark, wide and narrow: nothing of the frame shuts anybody out, and nothing is wider than the screen. */
async function lookAtFrame(page: Page): Promise<void> {
  for (const { colorScheme, width } of [
    { colorScheme: 'light', width: 1280 },
    { colorScheme: 'dark', width: 1280 },
    { colorScheme: 'light', width: 360 },
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const directory = process.env.SCREENSHOTS_DIRECTORY
    if (directory !== undefined)
      await page.screenshot({ path: join(directory, `docs-${colorScheme}-${width}.png`) })
    expect(await axeProblems(page, ['#viewer'])).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${width} px`).toBeLessThanOrEqual(
      width,
    )
    const isDark = await page.evaluate("document.documentElement.classList.contains('dark-mode')")
    expect(isDark).toBe(colorScheme === 'dark')
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

describe.skipIf(chromium === undefined)('the page in Chromium', () => {
  let opened: Awaited<ReturnType<Chromium['openPage']>>
  let page: Page
  let complaints: string[]
  // Drawing the viewer is most of the work: the tests go on where the one before has ended.
  beforeAll(async () => {
    const browser = await startChromium(chromium ?? '')
    opened = await browser.openPage({})
    page = opened.page
    complaints = complaintsOf(page)
    await page.goto(`${gateway.url}/docs#/Accounts/patchOwnUser`)
    await page.locator('#operations-tag-Workspaces').waitFor()
  }, MINUTES_MS)
  afterAll(() => opened?.[Symbol.asyncDispose]())

  /** Opens an operation, or closes it again. */
  const toggle = (operation: Locator) => operation.locator('.opblock-summary-control').click()

  /** What is answered to an operation that is tried out, once it is 200. */
  async function answerOf(operation: Locator): Promise<string | null> {
    await operation.locator('.execute').click()
    const table = operation.locator('.live-responses-table')
    await table.locator('.response-col_status').filter({ hasText: '200' }).waitFor()
    return table.textContent()
  }

  it(
    'shows every operation without asking anything of the world outside, and breaks no rule',
    async () => {
      expect(await page.locator('.opblock-tag').count()).toBeGreaterThanOrEqual(15)
      await page.locator('#operations-tag-Workspaces').click()
      await page.getByText('/v2/workspaces/{workspaceId}', { exact: true }).first().waitFor()
      expect(complaints).toEqual([])
      opened.expectNobodyElseAsked()
      // The address named it, so it is open.
      await toggle(page.locator('#operations-Accounts-patchOwnUser.is-open'))
      await lookAtFrame(page)
    },
    MINUTES_MS,
  )

  it(
    'writes with the session of the cookie, for whom nothing has to be pasted',
    async () => {
      const { jwt, userId } = await gateway.signIn()
      await page.context().addCookies([{ name: 'access-token', value: jwt, url: gateway.url }])
      const operation = page.locator('#operations-Accounts-patchOwnUser')
      await toggle(operation)
      await operation.locator('.try-out__btn').click()
      await operation.locator('textarea').first().fill('{"firstName":"Augusta"}')
      expect(await answerOf(operation)).toContain(userId)
      expect(complaints).toEqual([])
      opened.expectNobodyElseAsked()
    },
    MINUTES_MS,
  )

  it(
    'tries an operation out with a token that is pasted, against this origin',
    async () => {
      await page.context().clearCookies()
      const { jwt, userId } = await gateway.signIn()
      await page.locator('.btn.authorize').first().click()
      await page.locator('#auth-bearer-value').first().fill(jwt)
      await page.locator('.auth-btn-wrapper .authorize').first().click()
      await page.locator('.btn-done').first().click()
      const operation = page.locator('#operations-Accounts-getMe')
      await toggle(operation)
      await operation.locator('.try-out__btn').click()
      expect(await answerOf(operation)).toContain(userId)
      expect(complaints).toEqual([])
      opened.expectNobodyElseAsked()
    },
    MINUTES_MS,
  )
})
