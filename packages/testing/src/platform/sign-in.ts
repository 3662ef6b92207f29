import { ACCESS_TOKEN_COOKIE } from '@platform/contracts'

/** Cookies of one browser, by name; enough for one origin. */
class Jar {
  readonly #cookies = new Map<string, string>()

  header(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  take(answer: Response): void {
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]
      const gone = value === '' || attributes.some((one) => /max-age=0|expires=Thu, 01 Jan 1970/i.test(one))
      if (gone) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
  }

  get(name: string): string | undefined {
    return this.#cookies.get(name)
  }
}

const MAX_REDIRECTS = 12

/** Signs in through the real pages, as a browser does: the form, its redirects, the cookie. Answers the JWT. */
export async function signIn(origin: string, account: { email: string; password: string }): Promise<string> {
  const jar = new Jar()
  const page = await follow(jar, `${origin}/signin`)
  const form = /<form[^>]*action="([^"]+)"/.exec(await page.answer.text())?.[1]
  if (form === undefined) throw new Error(`The sign-in page at ${page.url} has no form.`)
  const body = new URLSearchParams({ login: account.email, password: account.password })
  await follow(jar, new URL(form, page.url).href, { method: 'POST', body, headers: { origin } })
  const token = jar.get(ACCESS_TOKEN_COOKIE)
  if (token === undefined) throw new Error('Signing in did not set the access-token cookie.')
  return token
}

async function follow(
  jar: Jar,
  url: string,
  init: RequestInit = {},
): Promise<{ url: string; answer: Response }> {
  let target = url
  let request = init
  for (let hop = 0; hop < MAX_REDIRECTS; hop += 1) {
    const headers = {
      ...(request.headers as Record<string, string> | undefined),
      cookie: jar.header(),
      accept: 'text/html',
    }
    const answer = await fetch(target, { ...request, headers, redirect: 'manual' })
    jar.take(answer)
    const location = answer.headers.get('location')
    if (location === null) return { url: target, answer }
    target = new URL(location, target).href
    request = {}
  }
  throw new Error(`Signing in was redirected more than ${MAX_REDIRECTS} times.`)
}
