import { ADMIN, type IdentityServer } from './identity-server.ts'
import { authorizationOf, Browser, redeem } from './sign-in.ts'

/** What lets a test register clients. */
export const REGISTRATION_TOKEN = 'registration-4f7Qz9Lm2xKw8R'
const CALLBACK = 'https://app.partner.test/callback'

/** A client as its registration answers it. */
export interface Registered extends Record<string, unknown> {
  client_id: string
  client_secret: string
  registration_access_token: string
  registration_client_uri: string
}

/** What the registration says of an ordinary web application. */
export const partnerMetadata = (server: IdentityServer, changed: Record<string, unknown> = {}) => ({
  client_name: 'Partner',
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  allowedResources: [server.settings.apiUrl],
  resourceScopes: 'events:read files:read',
  ...changed,
})

/** Asks the registration endpoints; without `token` as the operator. */
export async function askRegistration(
  url: string,
  { method = 'POST', token = REGISTRATION_TOKEN, body, headers = {} }: Asking = {},
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
}

interface Asking {
  method?: string
  token?: string
  body?: unknown
  headers?: Record<string, string>
}

/** Registers a client that works. */
export async function registerClient(
  server: IdentityServer,
  changed: Record<string, unknown> = {},
): Promise<Registered> {
  const { status, body } = await askRegistration(`${server.settings.issuer}/reg`, {
    body: partnerMetadata(server, changed),
  })
  if (status !== 201) throw new Error(`The client was not registered: ${JSON.stringify(body)}`)
  return body as Registered
}

/** Somebody comes from the client, and signs in where asked to: the page that follows, or the redirect back. */
export async function comeFrom(
  server: IdentityServer,
  client: Pick<Registered, 'client_id'>,
  changed: Record<string, string | undefined> = {},
  browser = new Browser(),
) {
  const asked = {
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    scope: 'openid email events:read',
    ...changed,
  }
  const authorization = authorizationOf(server, asked)
  const first = await browser.visit(authorization.url)
  const { email: login, password } = ADMIN
  const page = first.text.includes('type="password"')
    ? await browser.submit(first, { login, password })
    : first
  return { authorization, browser, page }
}

/** The client trades a code, as one with a secret does. */
export const redeemAs = (
  server: IdentityServer,
  client: Registered,
  { code, verifier }: { code: string; verifier: string },
) =>
  redeem(server, {
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
    code,
    code_verifier: verifier,
    ...secretOf(client),
  })

/** A token for the client itself. */
export const tokenForItself = (
  server: IdentityServer,
  client: Registered,
  changed: Record<string, string> = {},
) => redeem(server, { grant_type: 'client_credentials', ...secretOf(client), ...changed })

export const secretOf = ({ client_id, client_secret }: Registered) => ({ client_id, client_secret })
