import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import {
  authorizationOf,
  authorize,
  type Browser,
  redeem,
  redeemCode,
  returnedTo,
} from '../../test/sign-in.ts'

const credentials = { login: ADMIN.email, password: ADMIN.password }
const allScopes =
  'workspaces:read workspaces:write events:read events:write webhooks pages:read files:read files:write'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const signInWith = (changed?: Record<string, string | undefined>, browser?: Browser) =>
  authorize(server, ADMIN, changed, browser)

const tokenOf = (body: Record<string, unknown>) => String(body.access_token)

describe('signing in with the authorization code flow', () => {
  it('gives a JWT with exactly the nine claims, signed by a published key', async () => {
    const { authorization, back, code } = await signInWith()
    expect(returnedTo(back).get('iss')).toBe(server.settings.issuer)
    expect(returnedTo(back).get('state')).toBe(authorization.state)
    const { status, body } = await redeemCode(server, authorization, code)
    expect(status).toBe(200)

    const keySet = createRemoteJWKSet(new URL(`${server.settings.issuer}/jwks`))
    const { payload, protectedHeader } = await jwtVerify(tokenOf(body), keySet)
    expect(protectedHeader).toEqual({ typ: 'at+jwt', alg: 'RS256', kid: server.keys[0]?.kid })
    expect(Object.keys(payload).sort()).toEqual(
      ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'prismeaiSessionId', 'scope', 'sub'].sort(),
    )
    expect(payload).toMatchObject({
      aud: server.settings.apiUrl,
      iss: server.settings.issuer,
      client_id: 'local-client-id',
      scope: allScopes,
    })
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3600)
    const session = await server.sessions.find(String(payload.prismeaiSessionId))
    expect(session).toMatchObject({ userId: payload.sub, clientId: 'local-client-id', anonymous: false })
  })

  it('gives only the scopes of the API that were asked for', async () => {
    const { authorization, code } = await signInWith({ scope: 'openid events:read nonsense' })
    const { body } = await redeemCode(server, authorization, code)
    expect(decodeJwt(tokenOf(body)).scope).toBe('events:read')
  })

  it('tells who signed in by id token and userinfo, as far as the scopes go', async () => {
    const { authorization, code } = await signInWith({ nonce: 'n-123' })
    const { body } = await redeemCode(server, authorization, code)
    const idToken = decodeJwt(String(body.id_token))
    expect(idToken).toMatchObject({
      aud: 'local-client-id',
      nonce: 'n-123',
      email: ADMIN.email,
      name: ADMIN.email,
    })
    const me = await fetch(`${server.settings.issuer}/me`, {
      headers: { authorization: `Bearer ${tokenOf(body)}` },
    })
    expect(await me.json()).toMatchObject({ sub: idToken.sub, email: ADMIN.email })

    const other = await signInWith({ scope: 'openid' })
    const { body: narrow } = await redeemCode(server, other.authorization, other.code)
    const narrowMe = await fetch(`${server.settings.issuer}/me`, {
      headers: { authorization: `Bearer ${tokenOf(narrow)}` },
    })
    expect(await narrowMe.json()).toEqual({ sub: idToken.sub })
  })

  it('refuses userinfo for a token whose session has ended', async () => {
    const { authorization, code } = await signInWith()
    const { body } = await redeemCode(server, authorization, code)
    await server.sessions.end(String(decodeJwt(tokenOf(body)).prismeaiSessionId))
    const me = await fetch(`${server.settings.issuer}/me`, {
      headers: { authorization: `Bearer ${tokenOf(body)}` },
    })
    expect(me.status).toBe(401)
  })

  it('starts a new session with each sign-in, and none for a browser that is signed in already', async () => {
    const first = await signInWith()
    const one = decodeJwt(tokenOf((await redeemCode(server, first.authorization, first.code)).body))
    const second = await signInWith({}, first.browser)
    expect(second.back.url).toBe(second.authorization.url)
    const two = decodeJwt(tokenOf((await redeemCode(server, second.authorization, second.code)).body))
    expect(two.prismeaiSessionId).not.toBe(one.prismeaiSessionId)
    expect(two.jti).not.toBe(one.jti)
  })

  it('asks for the password again once a session of that browser was ended', async () => {
    const { authorization, browser, code } = await signInWith()
    const { body } = await redeemCode(server, authorization, code)
    await server.sessions.end(String(decodeJwt(tokenOf(body)).prismeaiSessionId))
    const again = await browser.visit(authorizationOf(server).url)
    expect(again.text).toContain('type="password"')
    const back = await browser.submit(again, credentials)
    expect(returnedTo(back).get('code')).toMatch(/./)
  })

  it('sets the cookie of the API with the token, but not for pages of other sites', async () => {
    const one = await signInWith()
    const own = await redeemCode(server, one.authorization, one.code)
    const cookie = own.headers.getSetCookie().find((line) => line.startsWith('access-token='))
    expect(cookie).toBe(`access-token=${tokenOf(own.body)}; Max-Age=3600; Path=/; HttpOnly; SameSite=Lax`)

    const two = await signInWith()
    const foreign = await redeem(
      server,
      {
        grant_type: 'authorization_code',
        client_id: 'local-client-id',
        redirect_uri: two.authorization.redirectUri,
        code: two.code,
        code_verifier: two.authorization.verifier,
      },
      { origin: 'https://evil.example' },
    )
    expect(foreign.headers.getSetCookie()).toEqual([])
  })
})
