import { sql } from '@platform/database'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorizationOf, authorize, Browser, redeem, redeemCode, returnedTo } from '../../test/sign-in.ts'

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

/** No token of an answer works any more, wherever it is shown. */
async function expectDead(body: Record<string, unknown>): Promise<void> {
  const { issuer } = server.settings
  expect(await server.sessions.find(String(decodeJwt(tokenOf(body)).prismeaiSessionId))).toBeUndefined()
  const headers = { authorization: `Bearer ${tokenOf(body)}` }
  expect((await fetch(`${issuer}/me`, { headers })).status).toBe(401)
  for (const token of [tokenOf(body), String(body.refresh_token)]) {
    const form = new URLSearchParams({ client_id: 'local-client-id', token })
    const answer = await fetch(`${issuer}/token/introspection`, { method: 'POST', body: form })
    expect(await answer.json()).toEqual({ active: false })
  }
  const again = {
    grant_type: 'refresh_token',
    client_id: 'local-client-id',
    refresh_token: String(body.refresh_token),
  }
  expect((await redeem(server, again)).status).toBe(400)
}

describe('the code', () => {
  it('works once: its reuse ends the session of the first token', async () => {
    const { authorization, code } = await signInWith()
    const first = await redeemCode(server, authorization, code)
    const second = await redeemCode(server, authorization, code)
    expect([first.status, second.status]).toEqual([200, 400])
    expect(second.body.error).toBe('invalid_grant')
    expect(
      await server.sessions.find(String(decodeJwt(tokenOf(first.body)).prismeaiSessionId)),
    ).toBeUndefined()
  })

  it('is won by one of a hundred at once, and then nothing it gave works', async () => {
    const { authorization, code } = await signInWith({ scope: 'openid email offline_access' })
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => redeemCode(server, authorization, code)),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(
      answers.filter(({ status }) => status !== 200).every(({ body }) => body.error === 'invalid_grant'),
    ).toBe(true)
    for (const { body } of won) await expectDead(body)
  })

  it.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }],
    ['no verifier', { code_verifier: '' }],
    ['another client', { client_id: 'gateway-signin' }],
    ['an unknown client', { client_id: 'nobody' }],
    ['another redirect address', { redirect_uri: 'http://console.localhost:3000/other' }],
    ['no redirect address', { redirect_uri: '' }],
  ])('can not be redeemed with %s', async (_, changed) => {
    const { authorization, code } = await signInWith()
    const { status, body } = await redeemCode(server, authorization, code, changed as Record<string, string>)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(body.access_token).toBeUndefined()
  })

  it('outlives neither a minute nor its clock', async () => {
    const { authorization, code } = await signInWith()
    const rows = await database.many<{ seconds: number }>(
      sql`select extract(epoch from expires_at - now())::int as seconds
        from gateway.oidc_records where model = 'AuthorizationCode' order by expires_at desc limit 1`,
    )
    expect(rows[0]?.seconds).toBeLessThanOrEqual(60)
    expect((await redeemCode(server, authorization, code)).status).toBe(200)
  })
})

describe('an authorization request', () => {
  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }],
    ['with PKCE plain', { code_challenge_method: 'plain' }],
    ['with PKCE of no method', { code_challenge_method: undefined }],
    ['with a method but no challenge', { code_challenge: undefined }],
    ['for a token instead of a code', { response_type: 'token' }],
    ['for an id token', { response_type: 'id_token', nonce: 'n' }],
    ['for another resource', { resource: 'https://other.example/api' }],
  ])('%s is refused with a redirect that says so', async (_, changed) => {
    const visited = await new Browser().visit(authorizationOf(server, changed as Record<string, string>).url)
    const location = new URL(visited.headers.get('location') ?? '')
    expect(`${location.origin}${location.pathname}`).toBe(server.consoleSignIn)
    const answer = new URLSearchParams(location.search.slice(1) || location.hash.slice(1))
    expect(answer.get('error')).toMatch(/invalid_request|unsupported_response_type|invalid_target/)
    expect(answer.get('code')).toBeNull()
  })

  it('answers login_required instead of a page when asked for none', async () => {
    const visited = await new Browser().visit(authorizationOf(server, { prompt: 'none' }).url)
    expect(returnedTo(visited).get('error')).toBe('login_required')
  })

  it('is refused with a page for an unknown client', async () => {
    const visited = await new Browser().visit(authorizationOf(server, { client_id: 'nobody' }).url)
    expect(visited.status).toBe(400)
    expect(visited.text).toContain('role="alert"')
    expect(visited.headers.get('location')).toBeNull()
  })
})
