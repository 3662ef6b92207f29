import * as contracts from '@platform/contracts'
import {
  askRegistration,
  type IdentityServer,
  identityDatabase,
  partnerMetadata,
  REGISTRATION_TOKEN,
  type Registered,
  redeem,
  registerClient,
  secretOf,
  startIdentityServer,
  tokenForItself,
} from '@platform/identity/testing'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database, given: { registrationToken: REGISTRATION_TOKEN } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const program = {
  grant_types: ['client_credentials'],
  redirect_uris: [],
  resourceScopes: 'events:read files:read',
}
const jwtOf = ({ body }: { body: Record<string, unknown> }) => String(body.access_token)
const about = async (path: string, client: Registered, token: string) => {
  const body = new URLSearchParams({ ...secretOf(client), token })
  const response = await fetch(`${server.settings.issuer}/token/${path}`, { method: 'POST', body })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>) }
}

describe('a token for a client itself', () => {
  it('is a JWT with the nine claims for ten minutes, whose subject is the client', async () => {
    const client = await registerClient(server, program)
    const answer = await tokenForItself(server, client)
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      expires_in: 600,
      token_type: 'Bearer',
      scope: 'events:read files:read',
    })
    expect(answer.body.refresh_token).toBeUndefined()
    expect(answer.headers.getSetCookie()).toEqual([])

    const keySet = createRemoteJWKSet(new URL(`${server.settings.issuer}/jwks`))
    const { payload, protectedHeader } = await jwtVerify(jwtOf(answer), keySet)
    expect(protectedHeader).toEqual({ typ: 'at+jwt', alg: 'RS256', kid: server.keys[0]?.kid })
    expect(Object.keys(payload).sort()).toEqual(
      ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'prismeaiSessionId', 'scope', 'sub'].sort(),
    )
    expect(payload).toMatchObject({
      sub: client.client_id,
      client_id: client.client_id,
      aud: server.settings.apiUrl,
      iss: server.settings.issuer,
      scope: 'events:read files:read',
    })
    expect(Number(payload.exp) - Number(payload.iat)).toBe(600)
    expect(await server.sessions.find(String(payload.prismeaiSessionId))).toMatchObject({
      userId: client.client_id,
      clientId: client.client_id,
    })
  })

  it('carries the scopes asked for, within those the client has', async () => {
    const client = await registerClient(server, program)
    const few = await tokenForItself(server, client, { scope: 'events:read workspaces:write openid' })
    expect(decodeJwt(jwtOf(few)).scope).toBe('events:read')
    const none = await tokenForItself(server, client, { scope: 'workspaces:write' })
    expect([none.status, decodeJwt(jwtOf(none)).scope]).toEqual([200, ''])
  })

  it('has a session of its own each time', async () => {
    const client = await registerClient(server, program)
    const [one, two] = [await tokenForItself(server, client), await tokenForItself(server, client)]
    expect(decodeJwt(jwtOf(one)).prismeaiSessionId).not.toBe(decodeJwt(jwtOf(two)).prismeaiSessionId)
  })

  it.each<[string, Record<string, string>, number]>([
    ['a wrong secret', { client_secret: 'wrong' }, 401],
    ['no secret', { client_secret: '' }, 401],
    ['another client', { client_id: 'nobody' }, 401],
    ['another resource', { resource: 'https://other.example' }, 400],
  ])('is refused with %s', async (_, changed, status) => {
    const client = await registerClient(server, program)
    const answer = await tokenForItself(server, client, changed)
    expect([answer.status, answer.body.access_token]).toEqual([status, undefined])
  })

  it('is refused to clients that have not registered for it, and to those of the platform', async () => {
    const client = await registerClient(server)
    expect((await tokenForItself(server, client)).status).toBe(400)
    for (const client_id of ['local-client-id', 'gateway-signin'])
      expect((await redeem(server, { grant_type: 'client_credentials', client_id })).status).toBe(400)
  })

  it('is no person at the userinfo endpoint', async () => {
    const client = await registerClient(server, program)
    const headers = { authorization: `Bearer ${jwtOf(await tokenForItself(server, client))}` }
    expect((await fetch(`${server.settings.issuer}/me`, { headers })).status).toBe(401)
  })

  it('can be asked about and revoked by its client, and by no other', async () => {
    const [client, other] = [await registerClient(server, program), await registerClient(server, program)]
    const jwt = jwtOf(await tokenForItself(server, client))
    const session = String(decodeJwt(jwt).prismeaiSessionId)
    expect((await about('introspection', client, jwt)).body).toMatchObject({
      active: true,
      sub: client.client_id,
      client_id: client.client_id,
      scope: 'events:read files:read',
      prismeaiSessionId: session,
    })
    expect((await about('introspection', other, jwt)).body).toEqual({ active: false })
    await about('revocation', other, jwt)
    expect(await server.sessions.find(session)).toBeDefined()

    expect((await about('revocation', client, jwt)).status).toBe(200)
    expect(await server.sessions.find(session)).toBeUndefined()
    expect((await about('introspection', client, jwt)).body).toEqual({ active: false })
  })

  it('ends with its client', async () => {
    const client = await registerClient(server, program)
    const session = String(decodeJwt(jwtOf(await tokenForItself(server, client))).prismeaiSessionId)
    const headers = { authorization: `Bearer ${client.registration_access_token}` }
    await fetch(client.registration_client_uri, { method: 'DELETE', headers })
    expect(await server.sessions.find(session)).toBeUndefined()
  })
})

describe('at the gateway', () => {
  let gateway: TestGateway
  let headers: { authorization: string }
  let client: Registered
  let jwt: string
  beforeAll(async () => {
    const env = { OIDC_CLIENT_REGISTRATION_TOKEN: REGISTRATION_TOKEN }
    gateway = await startGateway({ env })
    const apiUrl = 'http://localhost:3001/v2'
    const body = {
      ...partnerMetadata({ settings: { apiUrl } } as never, program),
      resourceScopes: 'workspaces:read',
    }
    client = (await askRegistration(`${gateway.url}/oidc/reg`, { body })).body as Registered
    const answer = await ask('/oidc/token', { grant_type: 'client_credentials', ...secretOf(client) })
    jwt = ((await answer.json()) as { access_token: string }).access_token
    headers = { authorization: `Bearer ${jwt}` }
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  const ask = (path: string, form: Record<string, string>) =>
    fetch(`${gateway.url}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  const call = async (method: string, path: string) => {
    const response = await fetch(`${gateway.url}${path}`, { method, headers })
    return {
      status: response.status,
      body: (await response.json().catch(() => ({}))) as Record<string, unknown>,
    }
  }

  it('is let in as a caller with its scopes, and never as a super administrator', async () => {
    expect((await call('GET', '/v2/readiness')).status).toBe(403)
    // Nothing answers behind this gateway, which shows that the caller got that far.
    expect((await call('GET', '/v2/workspaces')).status).toBe(503)
  })

  const personal = (Object.values(contracts) as unknown[]).filter(isPersonal)

  it.each(personal.map(({ id, method, path }) => [id, method.toUpperCase(), path] as const))(
    'is refused %s, because a program has no account',
    async (_, method, path) => {
      const { status, body } = await call(method, path.replace(/\{\w+\}/g, 'x'))
      expect([status, body.error]).toEqual([403, 'ForbiddenError'])
      expect(body.message).toMatch(/client.*\.$/)
    },
  )

  it('is 401 as soon as it is revoked', async () => {
    expect((await ask('/oidc/token/revocation', { ...secretOf(client), token: jwt })).status).toBe(200)
    await vi.waitFor(async () => expect((await call('GET', '/v2/workspaces')).status).toBe(401))
  })
})

/** What is about the caller's own account, as the contracts have it. */
function isPersonal(contract: unknown): contract is { id: string; method: string; path: string } {
  const { path, credential } = contract as { path?: unknown; credential?: unknown }
  return typeof path === 'string' && credential === 'required' && /^\/v2\/(me|user(\/.*)?)$/.test(path)
}
