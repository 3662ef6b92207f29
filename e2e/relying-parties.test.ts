import { createServer } from 'node:http'
import { ADMIN, type Platform } from '@platform/testing/platform'
import express from 'express'
import { auth } from 'express-oauth2-jwt-bearer'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as client from 'openid-client'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { Browser, type Page } from './support/browser.ts'
import { call } from './support/caller.ts'
import { REGISTRATION_TOKEN, shapes, sharedPlatform } from './support/shapes.ts'

const CONSOLE = 'http://localhost:3000/signin'
const nineClaims = ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'prismeaiSessionId', 'scope', 'sub']

/** The sign-in page, filled in by its person. */
const signInAt = async (browser: Browser, url: string): Promise<Page> =>
  browser.submit(await browser.open(url), { login: ADMIN.email, password: ADMIN.password })

const leadsTo = (page: Page): URL => new URL(page.headers.get('location') ?? 'about:blank', page.url)

describe.each(shapes)('relying parties of $name', (shape) => {
  let platform: Platform
  const issuer = () => new URL(`${platform.origin}/oidc`)
  const discover = (id: string, secret?: string) =>
    client.discovery(
      issuer(),
      id,
      secret,
      secret === undefined ? client.None() : client.ClientSecretBasic(secret),
      {
        execute: [client.allowInsecureRequests],
      },
    )

  beforeAll(async () => {
    platform = await sharedPlatform(shape)
  })

  test(
    'openid-client, public: discovery, real pages, code, tokens, refresh, userinfo, revocation, ' +
      'end of session',
    async () => {
      const config = await discover('local-client-id')
      expect(config.serverMetadata()).toMatchObject({
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ['S256'],
      })
      const verifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const nonce = client.randomNonce()
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: CONSOLE,
        scope: 'openid profile email offline_access',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
      const browser = new Browser(platform.origin)
      const back = leadsTo(await signInAt(browser, url.href))
      expect(back.origin + back.pathname).toBe(CONSOLE)

      const tokens = await client.authorizationCodeGrant(config, back, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      })
      expect(tokens).toMatchObject({ token_type: 'bearer', refresh_token: expect.any(String) })
      expect(tokens.claims()).toMatchObject({ aud: 'local-client-id', nonce })

      const me = await call(platform.origin, 'GET', '/v2/me', { token: tokens.access_token })
      expect(me.json).toMatchObject({ email: ADMIN.email, id: tokens.claims()?.sub })
      const info = await client.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')
      expect(info).toMatchObject({ email: ADMIN.email })

      const renewed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
      expect((await call(platform.origin, 'GET', '/v2/me', { token: renewed.access_token })).status).toBe(200)
      expect(await client.tokenIntrospection(config, renewed.access_token)).toMatchObject({
        active: true,
        client_id: 'local-client-id',
      })

      await client.tokenRevocation(config, renewed.access_token)
      await vi.waitFor(async () => {
        expect((await call(platform.origin, 'GET', '/v2/me', { token: renewed.access_token })).status).toBe(
          401,
        )
      })
      expect(await client.tokenIntrospection(config, renewed.access_token)).toEqual({ active: false })
      await expect(client.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
      })

      const leave = client.buildEndSessionUrl(config, {
        post_logout_redirect_uri: CONSOLE,
        id_token_hint: tokens.id_token ?? '',
      })
      const asked = await browser.open(leave.href)
      const gone = leadsTo(await browser.submit(asked, { logout: 'yes' }))
      expect(gone.href).toBe(CONSOLE)
      expect((await browser.open(url.href)).text).toContain('name="password"')
    },
  )

  test(
    'openid-client, registered and confidential: consent is asked once, then code, tokens and ' +
      'client credentials',
    async () => {
      const redirect = 'https://partner.example.com/callback'
      const registered = await call(platform.origin, 'POST', '/oidc/reg', {
        token: REGISTRATION_TOKEN,
        body: {
          client_name: 'Partner',
          redirect_uris: [redirect],
          grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
          response_types: ['code'],
          token_endpoint_auth_method: 'client_secret_basic',
          allowedResources: [`${platform.origin}/v2`],
          resourceScopes: 'events:read files:read',
        },
      })
      expect(registered.status).toBe(201)
      const config = await discover(registered.json.client_id, registered.json.client_secret)
      const verifier = client.randomPKCECodeVerifier()
      const authorize = async () =>
        client.buildAuthorizationUrl(config, {
          redirect_uri: redirect,
          scope: 'openid email events:read',
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).href
      const browser = new Browser(platform.origin)
      const consent = await signInAt(browser, await authorize())
      expect(consent.status).toBe(200)
      expect(consent.text).toContain('Partner')
      const allow = /<button[^>]*name="([^"]+)"[^>]*value="(allow|yes|accept)"/.exec(consent.text)
      const back = leadsTo(
        await browser.submit(consent, allow === null ? {} : { [allow[1] ?? '']: allow[2] ?? '' }),
      )
      expect(back.origin + back.pathname).toBe(redirect)
      const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier })
      const keys = createRemoteJWKSet(new URL(`${platform.origin}/oidc/jwks`))
      const { payload } = await jwtVerify(tokens.access_token, keys, { audience: `${platform.origin}/v2` })
      expect(payload.scope).toBe('events:read')
      expect(leadsTo(await browser.open(await authorize())).searchParams.has('code'), 'asked again').toBe(
        true,
      )

      const own = await client.clientCredentialsGrant(config, { scope: 'events:read' })
      const machine = await jwtVerify(own.access_token, keys, { audience: `${platform.origin}/v2` })
      expect(Object.keys(machine.payload).sort()).toEqual(nineClaims)
      expect(machine.payload).toMatchObject({ sub: registered.json.client_id, scope: 'events:read' })
      expect((machine.payload.exp ?? 0) - (machine.payload.iat ?? 0)).toBe(600)
      expect((await call(platform.origin, 'GET', '/v2/me', { token: own.access_token })).status).toBe(403)
    },
  )

  test('express-oauth2-jwt-bearer and jose accept our JWTs, and nothing else, in an API of somebody else', async () => {
    const app = express()
    app.get(
      '/',
      auth({ issuerBaseURL: issuer().href, audience: `${platform.origin}/v2`, strict: true }),
      (request, response) => void response.json(request.auth?.payload),
    )
    app.use((error: { status?: number }, _request: unknown, response: express.Response, _next: unknown) => {
      response.status(error.status ?? 500).end()
    })
    const server = createServer(app).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    try {
      const token = (await call(platform.origin, 'POST', '/v2/login/anonymous')).json.token as string
      const accepted = await call(`http://127.0.0.1:${port}`, 'GET', '/', { token })
      expect(accepted.status).toBe(200)
      expect(Object.keys(accepted.json).sort()).toEqual(nineClaims)
      const forged = `${token.slice(0, -6)}AAAAAA`
      expect((await call(`http://127.0.0.1:${port}`, 'GET', '/', { token: forged })).status).toBe(401)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
