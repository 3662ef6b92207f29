import { randomBytes } from 'node:crypto'
import { challengeOf } from '../src/oidc/sign-in-ticket.ts'

/** An answer with its body read. */
export interface Visited {
  status: number
  url: string
  headers: Headers
  text: string
}

interface VisitOptions {
  method?: string
  form?: Record<string, string>
  headers?: Record<string, string>
  /** Follow redirects as a browser does; else the redirect itself is the answer. Off for other hosts. */
  follow?: boolean
}

/** Enough of a browser: cookies by path, redirects, forms. */
export class Browser {
  readonly cookies = new Map<string, { value: string; path: string }>()

  async visit(url: string, options: VisitOptions = {}): Promise<Visited> {
    const { form, follow = true } = options
    const method = options.method ?? (form === undefined ? 'GET' : 'POST')
    const cookie = this.cookieHeader(new URL(url).pathname)
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...options.headers },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = await response.text()
    const location = response.headers.get('location')
    if (location === null || !follow) return { status: response.status, url, headers: response.headers, text }
    const next = new URL(location, url)
    if (next.host !== new URL(url).host)
      return { status: response.status, url, headers: response.headers, text }
    return this.visit(next.href, options.headers === undefined ? {} : { headers: options.headers })
  }

  cookieHeader(path: string): string {
    const sent = [...this.cookies].filter(
      ([, cookie]) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, '/')),
    )
    return sent.map(([name, { value }]) => `${name}=${value}`).join('; ')
  }

  /** What a visitor does on the sign-in page. */
  submit(page: Visited, fields: Record<string, string>, options: VisitOptions = {}): Promise<Visited> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.text)?.[1]
    if (action === undefined)
      throw new Error(`There is no form at ${page.url} (${page.status}): ${page.text.slice(0, 300)}`)
    return this.visit(action, { ...options, form: fields })
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
    const name = pair.slice(0, pair.indexOf('='))
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/'
    const gone = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))
    if (gone) this.cookies.delete(name)
    else this.cookies.set(name, { value: pair.slice(name.length + 1), path })
  }
}

/** A client of the console, on its way through the code flow. */
export interface Authorization {
  url: string
  verifier: string
  state: string
  redirectUri: string
}

/** A valid authorization request of the console; `changed` replaces or, with undefined, removes parameters. */
export function authorizationOf(
  server: { settings: { issuer: string }; consoleSignIn: string },
  changed: Record<string, string | undefined> = {},
): Authorization {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(8).toString('base64url')
  const parameters: Record<string, string | undefined> = {
    client_id: 'local-client-id',
    redirect_uri: server.consoleSignIn,
    response_type: 'code',
    scope: 'openid profile email',
    state,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...changed,
  }
  const url = new URL(`${server.settings.issuer}/auth`)
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value)
  return { url: url.href, verifier, state, redirectUri: parameters.redirect_uri ?? '' }
}

/** The redirect back to the console as its parameters. */
export const returnedTo = (visited: Visited): URLSearchParams =>
  new URL(visited.headers.get('location') ?? '').searchParams

/** The answer of the token endpoint. */
export async function redeem(
  server: { settings: { issuer: string } },
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const response = await fetch(`${server.settings.issuer}/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

/** Trades the code of an authorization as the console does. */
export const redeemCode = (
  server: { settings: { issuer: string } },
  authorization: Authorization,
  code: string,
  changed: Record<string, string> = {},
) =>
  redeem(server, {
    grant_type: 'authorization_code',
    client_id: 'local-client-id',
    redirect_uri: authorization.redirectUri,
    code,
    code_verifier: authorization.verifier,
    ...changed,
  })

/** Somebody signs in to the console, up to the code; a browser that is signed in already is not asked. */
export async function authorize(
  server: { settings: { issuer: string }; consoleSignIn: string },
  person: { email: string; password: string },
  changed: Record<string, string | undefined> = {},
  browser = new Browser(),
) {
  const authorization = authorizationOf(server, changed)
  const page = await browser.visit(authorization.url)
  const fields = { login: person.email, password: person.password }
  const back = page.status === 303 ? page : await browser.submit(page, fields)
  return { authorization, browser, back, code: returnedTo(back).get('code') ?? '' }
}
