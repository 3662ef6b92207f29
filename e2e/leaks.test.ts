import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN, type Platform, signIn } from '@platform/testing/platform'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Browser } from './support/browser.ts'
import { type Answer, call, newWorkspace } from './support/caller.ts'
import { Canaries, leaksOf } from './support/leaks.ts'
import { shapes } from './support/shapes.ts'

const REGISTRATION_TOKEN = 'canary-registration-token-0123456789abcdef'
const unique = (what: string) => `canary-${what}-${randomBytes(9).toString('hex')}`

describe.each(shapes)('secrets on $name', (shape) => {
  let platform: Platform
  let mails: string
  const canaries = new Canaries()
  const account = { email: `ada-${randomBytes(4).toString('hex')}@example.com`, password: unique('password') }
  const ask = async (
    method: string,
    path: string,
    token: string | undefined,
    body?: unknown,
  ): Promise<Answer> => {
    const answer = await call(platform.origin, method, path, {
      ...(token === undefined ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    })
    if (answer.status >= 400) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
    return answer
  }
  /** The token of the newest mail to somebody. */
  const mailedToken = (to: string, before: number): Promise<string> =>
    vi.waitFor(
      () => {
        const texts = readdirSync(mails)
          .map((name) =>
            readFileSync(join(mails, name), 'utf8')
              .replace(/=\r?\n/g, '')
              .replace(/=3D/gi, '='),
          )
          .filter((text) => text.includes(to))
        const tokens = texts.flatMap((text) => /[?&]token=([A-Za-z0-9_~.-]+)/.exec(text)?.[1] ?? [])
        expect(new Set(tokens).size).toBeGreaterThan(before)
        return tokens.at(-1) ?? ''
      },
      { timeout: 10_000 },
    )

  beforeAll(async () => {
    mails = join(tmpdir(), `mails-${randomBytes(6).toString('hex')}`)
    platform = await shape.start({
      MAIL_DIRECTORY: mails,
      ACCOUNT_VALIDATION_METHOD: 'email',
      OIDC_CLIENT_REGISTRATION_TOKEN: REGISTRATION_TOKEN,
    })
    canaries.keep('the password of the administrator', ADMIN.password)
    canaries.keep('the registration token', REGISTRATION_TOKEN)
    canaries.keep('a password', account.password)
  })
  afterAll(async () => platform?.[Symbol.asyncDispose]())

  test('an account lives its life: mail, sign-in, tokens, second factor, new password', async () => {
    const names = { firstName: 'Ada', lastName: 'Lovelace' }
    await ask('POST', '/v2/signup', undefined, { ...account, ...names })
    const validation = canaries.keep('a validation token', await mailedToken(account.email, 0))
    await ask('POST', '/v2/user/validate', undefined, { token: validation })
    const jwt = canaries.keep('a JWT', await signIn(platform.origin, account))

    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const made = await ask('POST', '/v2/user/accessTokens', jwt, { name: 'canary', expiresAt })
    canaries.keep('an access token', made.json.token)
    await ask('GET', '/v2/me', made.json.token)

    const redirect = `${platform.origin}/v2/me`
    const ticket = await ask('POST', '/v2/user/webSessionTicket', jwt, { redirect })
    canaries.keep('a web session ticket', new URL(ticket.json.url).pathname.split('/').at(-1))
    const browser = new Browser(platform.origin)
    await browser.open(ticket.json.url)
    canaries.keep('the JWT of a ticket', browser.cookie('access-token'))

    const begun = await ask('POST', '/v2/user/mfa', jwt, {
      method: 'totp',
      currentPassword: account.password,
    })
    const secret = canaries.keep('a TOTP secret', begun.json.secret)
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
    const confirmed = await ask('POST', '/v2/login/mfa', jwt, { totp: code })
    for (const [index, recovery] of confirmed.json.recoveryCodes.entries())
      canaries.keep(`recovery code ${index}`, recovery)

    await ask('POST', '/v2/user/password', undefined, { email: account.email })
    const reset = canaries.keep('a reset token', await mailedToken(account.email, 1))
    const password = canaries.keep('a new password', unique('new-password'))
    await ask('POST', '/v2/user/password', undefined, { token: reset, password })
  })

  test('an administrator makes keys, clients and providers', async () => {
    const jwt = canaries.keep('the JWT of the administrator', await signIn(platform.origin, ADMIN))
    const workspaceId = await newWorkspace(platform.origin, jwt)
    const key = await ask('POST', `/v2/workspaces/${workspaceId}/security/apikeys`, jwt, {
      name: 'canary',
      rules: [{ action: 'read', subject: 'workspaces' }],
    })
    canaries.keep('an API key', key.json.apiKey)
    await call(platform.origin, 'GET', `/v2/workspaces/${workspaceId}`, {
      headers: { 'x-platform-api-key': key.json.apiKey },
    })
    await ask('PUT', `/v2/workspaces/${workspaceId}/security/apikeys/${key.json.apiKey}`, jwt, {
      rules: [{ action: 'read', subject: 'workspaces' }],
    })
    const provider = {
      client_id: 'canary',
      client_secret: unique('provider-secret'),
      issuer: 'https://idp.example.com',
    }
    canaries.keep('the secret of a provider', provider.client_secret)
    const body = { slug: 'canary', type: 'oidc', config: provider }
    await ask('POST', '/v2/orgs/acme/auth/sso', jwt, body)

    const client = await ask('POST', '/oidc/reg', REGISTRATION_TOKEN, {
      client_name: 'Canary',
      redirect_uris: ['https://canary.example.com/cb'],
      response_types: ['code'],
      grant_types: ['authorization_code', 'client_credentials'],
      allowedResources: [`${platform.origin}/v2`],
      resourceScopes: 'events:read',
    })
    canaries.keep('a client secret', client.json.client_secret)
    canaries.keep('a registration access token', client.json.registration_access_token)
  })

  test('an application gets a code, tokens and new tokens', async () => {
    const verifier = canaries.keep('a code verifier', randomBytes(32).toString('base64url'))
    const url = new URL(`${platform.origin}/oidc/auth`)
    const redirect = 'http://localhost:3000/signin'
    url.search = new URLSearchParams({
      client_id: 'local-client-id',
      response_type: 'code',
      redirect_uri: redirect,
      scope: 'openid offline_access',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    const browser = new Browser(platform.origin)
    const form = await browser.open(url.href)
    const back = await browser.submit(form, { login: ADMIN.email, password: ADMIN.password })
    const location = new URL(back.headers.get('location') ?? '', url)
    const code = canaries.keep('an authorization code', location.searchParams.get('code'))
    const tokenCall = async (fields: Record<string, string>) => {
      const answer = await call(platform.origin, 'POST', '/oidc/token', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        raw: new URLSearchParams({ client_id: 'local-client-id', ...fields }).toString(),
      })
      expect(answer.status, answer.text).toBe(200)
      return answer.json
    }
    const grant = { grant_type: 'authorization_code', redirect_uri: redirect, code_verifier: verifier, code }
    const tokens = await tokenCall(grant)
    const refresh = canaries.keep('a refresh token', tokens.refresh_token)
    canaries.keep('an id token', tokens.id_token)
    canaries.keep('the JWT of an application', tokens.access_token)
    const renewed = await tokenCall({ grant_type: 'refresh_token', refresh_token: refresh })
    canaries.keep('the next refresh token', renewed.refresh_token)
  })

  test('credentials in wrong places are refused, and written nowhere', async () => {
    const jwt = canaries.keep('a JWT in the query', await signIn(platform.origin, ADMIN))
    const attempts = [
      ['GET', `/v2/me?access_token=${jwt}`, {}],
      ['GET', `/v2/me?apiKey=${jwt}`, {}],
      ['GET', `/v2/me`, { referer: `https://elsewhere.example.com/?token=${jwt}` }],
      ['GET', `/v2/nothing/${jwt}`, {}],
      ['GET', `/v2/me`, { authorization: `Basic ${Buffer.from(`a:${jwt}`).toString('base64')}` }],
    ] as const
    for (const [method, path, headers] of attempts) {
      const answer = await call(platform.origin, method, path, { headers })
      expect([401, 404], `${method} ${path.slice(0, 30)}`).toContain(answer.status)
      expect(answer.text).not.toContain(jwt)
    }
    const body = {
      name: 'x',
      expiresAt: 'never',
      password: canaries.keep('a stray password', unique('stray')),
    }
    const refused = await call(platform.origin, 'POST', '/v2/user/accessTokens', { token: jwt, body })
    expect(refused.status).toBe(400)
    expect(canaries.foundIn('an answer', refused.text)).toEqual([])
    const wrong = canaries.keep('a wrong password', unique('wrong'))
    const browser = new Browser(platform.origin)
    const page = await browser.open(`${platform.origin}/signin`)
    const answer = await browser.submit(page, { login: ADMIN.email, password: wrong })
    expect(canaries.foundIn('the page', answer.text)).toEqual([])
  })

  test('no table, file or line holds any of them, nor a private key', async () => {
    expect(canaries.count).toBeGreaterThan(25)
    expect(await leaksOf(platform, canaries, account.email)).toEqual([])
  })
})
