import { freePorts } from '@platform/testing/platform'
import { startWithMail } from './accounts.ts'
import { Browser, type Visited } from './sign-in.ts'

/** A gateway that knows the address people reach it at, with mails as files. */
export async function startAccountPages(env: Record<string, string> = {}) {
  const [port = 0] = await freePorts(1)
  const origin = `http://localhost:${port}`
  const started = await startWithMail({ PORT: String(port), API_URL: `${origin}/v2`, ...env })
  return { ...started, origin }
}

export type AccountPages = Awaited<ReturnType<typeof startAccountPages>>

/** Opens the sign-in page and follows the link to one of the pages about accounts. */
export async function followLink(
  origin: string,
  step: 'signup' | 'forgot',
  browser = new Browser(),
  headers: Record<string, string> = {},
): Promise<Visited> {
  const page = await browser.visit(`${origin}/signin`, { headers })
  const url = new RegExp(`href="([^"]+/${step})"`).exec(page.text)?.[1]
  if (url === undefined) throw new Error(`There is no link to ${step}: ${page.text.slice(-1500)}`)
  return browser.visit(url, { headers })
}

/** Sends the form of a page with its hidden fields, as a browser does. */
export const submitForm = (
  browser: Browser,
  page: Visited,
  fields: Record<string, string> = {},
  options: Parameters<Browser['submit']>[2] = {},
): Promise<Visited> => {
  const hidden = page.text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)
  const given = Object.fromEntries([...hidden].map(([, name = '', value = '']) => [name, value]))
  return browser.submit(page, { ...given, ...fields }, options)
}

/** The address a link or button of a page leads to. */
export function linkOf(page: Visited, text: string): string {
  const url = [...page.text.matchAll(/<a[^>]*href="([^"]+)"[^>]*>([^<]+)<\/a>/g)].find(
    ([, , label]) => label === text,
  )?.[1]
  if (url === undefined) throw new Error(`No link says ${text}: ${page.text.slice(-1500)}`)
  return url
}

/** Makes an account through the pages and confirms its address, as its owner would. */
export async function makeAccount(
  { origin, mailTo }: Pick<AccountPages, 'origin' | 'mailTo'>,
  person: { email: string; password: string; firstName: string; lastName: string },
): Promise<Browser> {
  const browser = new Browser()
  await submitForm(browser, await followLink(origin, 'signup', browser), { ...person })
  const { url } = await mailTo(person.email)
  await submitForm(browser, await browser.visit(url))
  return browser
}

/** Signs in and answers the JWT of the cookie; undefined when that did not work. */
export async function tokenOf(
  origin: string,
  { email, password }: { email: string; password: string },
  browser = new Browser(),
): Promise<string | undefined> {
  await browser.submit(await browser.visit(`${origin}/signin`), { login: email, password })
  return browser.cookies.get('access-token')?.value
}
