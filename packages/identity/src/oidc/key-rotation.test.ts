import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { ADMIN, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { authorizationOf, Browser, redeem, redeemCode, returnedTo } from '../../test/sign-in.ts'

const credentials = { login: ADMIN.email, password: ADMIN.password }
const asText = (value: unknown) => String(value)

describe('rotating the signing key', () => {
  it('does not disturb a sign-in that is under way', async () => {
    await using database = await identityDatabase()
    await using server = await startIdentityServer({ database })
    const before = server.keys[0]?.kid
    const browser = new Browser()
    const authorization = authorizationOf(server, { scope: 'openid offline_access' })

    const page = await browser.visit(authorization.url)
    await server.rotate()
    const back = await browser.submit(page, credentials)
    await server.rotate()
    const { status, body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')

    expect(status).toBe(200)
    const { kid } = decodeProtectedHeader(asText(body.access_token))
    expect(kid).toBe(server.keys[0]?.kid)
    expect(kid).not.toBe(before)
    expect(decodeProtectedHeader(asText(body.id_token)).kid).toBe(kid)

    await server.rotate()
    const refresh = {
      grant_type: 'refresh_token',
      client_id: 'local-client-id',
      refresh_token: asText(body.refresh_token),
    }
    const later = await redeem(server, refresh)
    expect(decodeProtectedHeader(asText(later.body.access_token)).kid).toBe(server.keys[0]?.kid)
    const keySet = createRemoteJWKSet(new URL(`${server.settings.issuer}/jwks`))
    for (const token of [body.access_token, later.body.access_token]) await jwtVerify(asText(token), keySet)
  })

  it('may change the algorithm', async () => {
    await using database = await identityDatabase()
    await using server = await startIdentityServer({ database, alg: 'ES384' })
    const browser = new Browser()
    const authorization = authorizationOf(server)
    const back = await browser.submit(await browser.visit(authorization.url), credentials)
    const { body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
    const keySet = createRemoteJWKSet(new URL(`${server.settings.issuer}/jwks`))
    for (const token of [body.access_token, body.id_token]) {
      const { protectedHeader } = await jwtVerify(asText(token), keySet)
      expect(protectedHeader.alg).toBe('ES384')
    }
  })
})

describe('restarting the gateway', () => {
  it('keeps forms that are open, browsers that are signed in, and refresh tokens', async () => {
    await using database = await identityDatabase()
    const browser = new Browser()
    const first = await startIdentityServer({ database })
    const authorization = authorizationOf(first, { scope: 'openid offline_access' })
    const page = await browser.visit(authorization.url)
    await first[Symbol.asyncDispose]()

    const second = await startIdentityServer({ database, port: first.port, keys: first.keys })
    const back = await browser.submit(page, credentials)
    const { body } = await redeemCode(second, authorization, returnedTo(back).get('code') ?? '')
    await second[Symbol.asyncDispose]()

    await using third = await startIdentityServer({ database, port: first.port, keys: first.keys })
    expect(returnedTo(await browser.visit(authorizationOf(third).url)).get('code')).toMatch(/./)
    const refresh = {
      grant_type: 'refresh_token',
      client_id: 'local-client-id',
      refresh_token: asText(body.refresh_token),
    }
    expect((await redeem(third, refresh)).status).toBe(200)
    const me = await fetch(`${third.settings.issuer}/me`, {
      headers: { authorization: `Bearer ${asText(body.access_token)}` },
    })
    expect(me.status).toBe(200)
  })
})

describe('what the database holds', () => {
  it('opens nothing: no code, refresh token, browser session or password is in it', async () => {
    await using database = await identityDatabase()
    await using server = await startIdentityServer({ database })
    const browser = new Browser()
    const authorization = authorizationOf(server, { scope: 'openid offline_access' })
    const page = await browser.visit(authorization.url)
    const interaction = [...browser.cookies.values()].map(({ value }) => value)
    const back = await browser.submit(page, credentials)
    const code = returnedTo(back).get('code') ?? ''
    const { body } = await redeemCode(server, authorization, code)
    await browser.visit(authorizationOf(server, { prompt: 'login' }).url)

    const { raw } = await import('@platform/database')
    const tables = ['users', 'oidc_records', 'oidc_sign_ins', 'sessions']
    const dumps = await Promise.all(
      tables.map((table) => database.many(raw(`select t::text from gateway.${table} t`))),
    )
    const dump = JSON.stringify(dumps)
    const session = browser.cookies.get('_sessionv2')?.value ?? ''
    expect(session).toMatch(/./)
    for (const secret of [
      code,
      asText(body.refresh_token),
      asText(body.access_token),
      session,
      ADMIN.password,
    ]) {
      expect(dump).not.toContain(secret)
    }
    expect(interaction.length).toBeGreaterThan(0)
  })
})
