import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { startCrookedIdp } from './crooked-idp.ts'
import { CLIENT, startIdp } from './idp.ts'
import { Browser, type Visited } from './sign-in.ts'
import { startIdentity } from './start-identity.ts'

export { unsigned } from './crooked-idp.ts'
export { CLIENT } from './idp.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** A file of providers, for AUTH_PROVIDERS_CONFIG. */
export async function providerFile(content: unknown): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'providers-')), 'authProviders.config.yml')
  await writeFile(path, typeof content === 'string' ? content : stringify(content))
  return path
}

export type World = Awaited<ReturnType<typeof startWorld>>

/** A gateway at its own address, an honest and a crooked provider in its file. */
export async function startWorld(env: Record<string, string> = {}) {
  const stack = new AsyncDisposableStack()
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const idp = stack.use(await startIdp(`${origin}/v2/login/callback`))
  const crooked = stack.use(await startCrookedIdp())
  const ofFile = (issuer: string) => ({
    type: 'oidc',
    config: { ...CLIENT, issuer, client_secret: `\${IDP_SECRET}` },
  })
  const providers = {
    acme: { ...ofFile(idp.url), name: 'Acme & Co', icon: 'https://acme.example/icon.svg' },
    crooked: { ...ofFile(crooked.url), config: { ...ofFile(crooked.url).config, allowTokenExchange: true } },
    closed: { ...ofFile(crooked.url), enabled: false },
    down: ofFile('http://127.0.0.1:2'),
    inside: ofFile('http://169.254.169.254'),
    endpoints: {
      type: 'oidc',
      config: {
        ...CLIENT,
        authorization_endpoint: `${crooked.url}/auth`,
        token_endpoint: `${crooked.url}/token`,
        jwks_uri: `${crooked.url}/jwks`,
        scopes: ['email'],
        pkce: false,
      },
    },
  }
  const gateway = stack.use(
    await startIdentity({
      env: {
        PORT: String(port),
        API_URL: `${origin}/v2`,
        AUTH_PROVIDERS_CONFIG: await providerFile({ providers }),
        IDP_SECRET: CLIENT.client_secret,
        OUTBOUND_ALLOWED: '127.0.0.1',
        ...env,
      },
    }),
  )
  return { gateway, origin, idp, crooked, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** Goes wherever the redirects lead, from host to host, until a page comes. */
export async function travel(browser: Browser, url: string, stopAt?: string): Promise<Visited> {
  let visited = await browser.visit(url)
  for (let hops = 0; hops < 10; hops += 1) {
    const location = visited.headers.get('location')
    if (location === null || (stopAt !== undefined && location.startsWith(stopAt))) return visited
    visited = await browser.visit(new URL(location, visited.url).href)
  }
  throw new Error(`There is no end to the redirects at ${visited.url}.`)
}

/** Somebody who has left for a provider: what the provider was sent, and how to come back. */
export async function leaveFor(world: World, slug: string, browser = new Browser()) {
  const away = await browser.visit(`${world.origin}/v2/login?provider=${slug}`)
  const sent = new URL(away.headers.get('location') ?? '').searchParams
  const back = (answer: Record<string, string>, by = browser) =>
    by.visit(`${world.origin}/v2/login/callback?${new URLSearchParams(answer)}`)
  return { browser, away, sent, state: sent.get('state') ?? '', nonce: sent.get('nonce') ?? '', back }
}

/** The administrator of a world, signed in with their password. */
export async function asRoot({ gateway, origin }: World) {
  const browser = new Browser()
  const credentials = { login: 'root@example.com', password: 'a password of the tests' }
  await browser.submit(await browser.visit(`${origin}/signin`), credentials)
  return gateway.client({ authorization: `Bearer ${browser.cookies.get('access-token')?.value}` })
}
