import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { AccountPages } from './account-pages.ts'

/** Where Chromium is; undefined where there is none. Throws then under REQUIRE_SERVERS=1. */
export function chromiumPath(): string | undefined {
  const path = process.env.CHROMIUM ?? '/usr/bin/chromium'
  if (existsSync(path)) return path
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('CHROMIUM must name a Chromium to drive.')
  console.warn('SKIPPED: the pages in Chromium; set CHROMIUM to its path to test them.')
  return undefined
}

let running: Promise<Browser> | undefined

/**
 * A Chromium that opens pages, each in a profile of its own, and sees that none asks anything of the world outside. All
 * files of a process share one, which ends with the process.
 */
export async function startChromium(executablePath: string) {
  running ??= chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const browser = await running
  const openPage = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    const page = await context.newPage()
    page.setDefaultTimeout(DEADLINE_MS)
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).hostname))
    return {
      page,
      expectNobodyElseAsked: () => expect([...asked].filter((host) => !OWN_HOSTS.includes(host))).toEqual([]),
      [Symbol.asyncDispose]: () => context.close(),
    }
  }
  return {
    openPage,
    async withPage(options: BrowserContextOptions, visit: (page: Page) => Promise<void>): Promise<void> {
      await using opened = await openPage(options)
      await visit(opened.page)
      opened.expectNobodyElseAsked()
    },
  }
}

export type Chromium = Awaited<ReturnType<typeof startChromium>>

/** On a machine that does much else a page takes its time. */
const DEADLINE_MS = 60_000

/** Pictures within the page have no host. */
const OWN_HOSTS = ['localhost', '127.0.0.1', '']

/** Looks at the page that is shown now; `name` tells pages apart. */
export type Look = (page: Page, name: string) => Promise<void>

/** Both colour schemes and both widths: colours do not depend on the width, nor the layout on colours. */
const views = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
] as const

/**
 * Nobody is shut out of the page: no rule of axe is broken, light or dark, and nothing is wider than the screen of a
 * phone. With SCREENSHOTS_DIRECTORY set, each view is kept as a picture.
 */
export const lookClosely: Look = async (page, name) => {
  for (const { colorScheme, width } of views) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    await keepPicture(page, `${name}-${colorScheme}-${width}`)
    expect(await axeProblems(page), `${name}, ${colorScheme}, ${width} px`).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

/** What axe finds wrong with the page, but for what `except` selects. A document is given its script once. */
export async function axeProblems(page: Page, except: readonly string[] = []): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const context = JSON.stringify({ exclude: except })
  const violations: { id: string; nodes: { html: string }[] }[] = await page.evaluate(
    `axe.run(${context}, { resultTypes: ['violations'] }).then((found) => found.violations)`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const directory = process.env.SCREENSHOTS_DIRECTORY
  if (directory === undefined) return
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
}

/** Fills the fields of the form by their id and sends it. */
export async function send(page: Page, fields: Record<string, string> = {}): Promise<void> {
  for (const [id, value] of Object.entries(fields)) await page.locator(`#${id}`).fill(value)
  await Promise.all([page.waitForNavigation(), page.locator('button[type=submit]').first().click()])
}

/** Follows the link whose address matches. */
export async function follow(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.locator(selector).first().click()])
}

/** The newest link to a page that was mailed to an address, beside those that are known. */
export const mailedLink = (
  { mails }: Pick<AccountPages, 'mails'>,
  email: string,
  path: string,
  known: readonly string[] = [],
): Promise<string> =>
  vi.waitFor(
    async () => {
      const found = (await mails()).filter(({ to, url }) => to === email && url.includes(path))
      const url = found.map((mail) => mail.url).findLast((candidate) => !known.includes(candidate))
      if (url === undefined) throw new Error(`No mail to ${email} leads to ${path}.`)
      return url
    },
    { timeout: 10_000, interval: 50 },
  )
