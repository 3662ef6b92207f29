/** What came back, read whole. */
export interface Page {
  status: number
  url: string
  headers: Headers
  text: string
}

interface Kept {
  value: string
  host: string
  path: string
}

const MAX_HOPS = 15

/** Enough of a browser for pages that need no script: cookies by host and path, redirects, forms. */
export class Browser {
  #cookies: (Kept & { name: string })[] = []
  /** Redirects that lead elsewhere are not followed: an application waits there. */
  readonly #homes: Set<string>

  constructor(...origins: string[]) {
    this.#homes = new Set(origins)
  }

  /** Follows redirects as far as they stay at home; a redirect away is the page that is answered. */
  async open(
    url: string,
    init: { form?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<Page> {
    let [target, form] = [url, init.form]
    for (let hop = 0; hop < MAX_HOPS; hop += 1) {
      const answer = await fetch(target, {
        method: form === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: {
          accept: 'text/html',
          cookie: this.#cookiesFor(target),
          ...(form === undefined ? {} : { origin: new URL(target).origin }),
          ...init.headers,
        },
        body: form === undefined ? null : new URLSearchParams(form),
        signal: AbortSignal.timeout(20_000),
      })
      this.#keep(answer, target)
      const location = answer.headers.get('location')
      const next = location === null ? undefined : new URL(location, target)
      if (next === undefined || !this.#homes.has(next.origin))
        return { status: answer.status, url: target, headers: answer.headers, text: await answer.text() }
      await answer.body?.cancel()
      ;[target, form] = [next.href, undefined]
    }
    throw new Error(`${url} was redirected more than ${MAX_HOPS} times.`)
  }

  /** Fills in the form of a page, with its hidden fields, and sends it. */
  submit(page: Page, fields: Record<string, string>): Promise<Page> {
    const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(page.text)
    if (form === null)
      throw new Error(`The page at ${page.url} (${page.status}) has no form: ${page.text.slice(0, 500)}`)
    const [, action = '', inside = ''] = form
    const hidden = Object.fromEntries(
      [...inside.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
        /name="([^"]*)"/.exec(input)?.[1] ?? '',
        /value="([^"]*)"/.exec(input)?.[1] ?? '',
      ]),
    )
    return this.open(new URL(action.replaceAll('&amp;', '&'), page.url).href, {
      form: { ...hidden, ...fields },
    })
  }

  cookie(name: string): string | undefined {
    return this.#cookies.find((one) => one.name === name)?.value
  }

  #cookiesFor(url: string): string {
    const { host, pathname } = new URL(url)
    return this.#cookies
      .filter(
        (one) =>
          one.host === host && (pathname === one.path || pathname.startsWith(one.path.replace(/\/?$/, '/'))),
      )
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  #keep(answer: Response, url: string): void {
    const { host } = new URL(url)
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
      const name = pair.slice(0, pair.indexOf('='))
      const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/'
      const gone = attributes.some((one) => /^max-age=0$|^expires=Thu, 01 Jan 1970/i.test(one))
      this.#cookies = this.#cookies.filter(
        (one) => !(one.name === name && one.host === host && one.path === path),
      )
      if (!gone) this.#cookies.push({ name, value: pair.slice(name.length + 1), host, path })
    }
  }
}
