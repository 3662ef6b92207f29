import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorize, type Browser, redeem, redeemCode } from '../../test/sign-in.ts'

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

describe('refresh tokens', () => {
  const refreshed = (token: string) =>
    redeem(server, { grant_type: 'refresh_token', client_id: 'local-client-id', refresh_token: token })

  async function offline() {
    const { authorization, code } = await signInWith({ scope: 'openid offline_access' })
    return (await redeemCode(server, authorization, code)).body
  }

  it('are given for offline_access only, and rotate within the same session', async () => {
    const { authorization, code } = await signInWith()
    expect((await redeemCode(server, authorization, code)).body.refresh_token).toBeUndefined()

    const first = await offline()
    const second = await refreshed(String(first.refresh_token))
    expect(second.status).toBe(200)
    expect(second.body.refresh_token).not.toBe(first.refresh_token)
    const [before, after] = [decodeJwt(tokenOf(first)), decodeJwt(tokenOf(second.body))]
    expect(after.prismeaiSessionId).toBe(before.prismeaiSessionId)
    expect(after.jti).not.toBe(before.jti)
    expect(after.scope).toBe(allScopes)
  })

  it('end the session when one is used twice', async () => {
    const first = await offline()
    const second = await refreshed(String(first.refresh_token))
    const replay = await refreshed(String(first.refresh_token))
    expect(replay.status).toBe(400)
    expect((await refreshed(String(second.body.refresh_token))).status).toBe(400)
    expect(
      await server.sessions.find(String(decodeJwt(tokenOf(second.body)).prismeaiSessionId)),
    ).toBeUndefined()
  })

  it('stop working with the session, and with their revocation the session ends', async () => {
    const ended = await offline()
    await server.sessions.end(String(decodeJwt(tokenOf(ended)).prismeaiSessionId))
    expect((await refreshed(String(ended.refresh_token))).status).toBe(400)

    const revoked = await offline()
    const form = { client_id: 'local-client-id', token: String(revoked.refresh_token) }
    const answer = await fetch(`${server.settings.issuer}/token/revocation`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    expect(answer.status).toBe(200)
    expect(await server.sessions.find(String(decodeJwt(tokenOf(revoked)).prismeaiSessionId))).toBeUndefined()
  })
})

describe('asking about a token', () => {
  const ask = async (path: string, form: Record<string, string>) => {
    const response = await fetch(`${server.settings.issuer}/token/${path}`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'local-client-id', ...form }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
  }

  async function signedIn() {
    const { authorization, code } = await signInWith({ scope: 'openid offline_access events:read' })
    const { body } = await redeemCode(server, authorization, code)
    return { jwt: tokenOf(body), refresh: String(body.refresh_token) }
  }

  it('tells what a JWT says, while its session lasts', async () => {
    const { jwt } = await signedIn()
    const claims = decodeJwt(jwt)
    expect((await ask('introspection', { token: jwt })).body).toMatchObject({
      active: true,
      sub: claims.sub,
      aud: claims.aud,
      scope: 'events:read',
      client_id: 'local-client-id',
      exp: claims.exp,
      prismeaiSessionId: claims.prismeaiSessionId,
    })
    await server.sessions.end(String(claims.prismeaiSessionId))
    expect((await ask('introspection', { token: jwt })).body).toEqual({ active: false })
  })

  it('tells about a refresh token', async () => {
    const { refresh } = await signedIn()
    expect((await ask('introspection', { token: refresh })).body).toMatchObject({ active: true })
    expect((await ask('introspection', { token: 'rubbish' })).body).toEqual({ active: false })
  })

  it('tells a client nothing about the tokens of another, and revokes nothing for it', async () => {
    const { jwt } = await signedIn()
    const other = { client_id: 'gateway-signin', token: jwt }
    expect((await ask('introspection', other)).body).toEqual({ active: false })
    await ask('revocation', other)
    expect((await ask('introspection', { token: jwt })).body.active).toBe(true)
  })

  it('ends the session of a JWT with its revocation, and its refresh token too', async () => {
    const { jwt, refresh } = await signedIn()
    expect((await ask('revocation', { token: jwt })).status).toBe(200)
    expect(await server.sessions.find(String(decodeJwt(jwt).prismeaiSessionId))).toBeUndefined()
    expect((await ask('introspection', { token: jwt })).body).toEqual({ active: false })
    expect((await ask('introspection', { token: refresh })).body).toEqual({ active: false })
  })

  it.each(['introspection', 'revocation'])(
    'refuses %s without a client, without a token, and of a forged one',
    async (path) => {
      const { jwt } = await signedIn()
      expect((await ask(path, { client_id: 'nobody', token: jwt })).status).toBe(401)
      expect((await ask(path, {})).status).toBe(400)
      const forged = `${jwt.slice(0, -8)}AAAAAAAA`
      const { status, body } = await ask(path, { token: forged })
      expect([status, body.active ?? false]).toEqual([200, false])
      expect((await ask('introspection', { token: jwt })).body.active).toBe(true)
    },
  )
})
