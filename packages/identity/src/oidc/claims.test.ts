import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { sql } from '@platform/database'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorize, redeemCode } from '../../test/sign-in.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database })
  await database.many(sql`
    update gateway.users set first_name = 'Ada', last_name = 'Lovelace', language = 'fr',
    photo = 'https://img.example/a.png',
      meta = '{"theme": "dark"}', auth_data = '{"prismeai": {}}', email_validated_at = now()
      where email = ${ADMIN.email}`)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const profile = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  family_name: 'Lovelace',
  locale: 'fr',
  picture: 'https://img.example/a.png',
  updated_at: expect.any(Number),
  firstName: 'Ada',
  lastName: 'Lovelace',
  language: 'fr',
  photo: 'https://img.example/a.png',
}
const email = { email: ADMIN.email, email_verified: true }
const settings = { mfa: 'none', meta: { theme: 'dark' }, authData: { prismeai: {} } }

describe('what a scope tells of a person', () => {
  it.each<[string, Record<string, unknown>]>([
    ['openid', {}],
    ['openid profile', profile],
    ['openid email', email],
    ['openid settings', settings],
    ['openid profile email settings', { ...profile, ...email, ...settings }],
  ])('%s, in the id token and at the userinfo endpoint', async (scope, claims) => {
    const { authorization, code } = await authorize(server, ADMIN, { scope })
    const { body } = await redeemCode(server, authorization, code)
    const { sub, aud, exp, iat, iss, at_hash, sid, amr, auth_time, ...told } = decodeJwt(
      String(body.id_token),
    )
    expect(told).toEqual(claims)
    expect([aud, iss, Number(exp) - Number(iat)]).toEqual(['local-client-id', server.settings.issuer, 3600])
    const headers = { authorization: `Bearer ${String(body.access_token)}` }
    const me = await fetch(`${server.settings.issuer}/me`, { headers })
    expect(await me.json()).toEqual({ sub, ...claims })
  })
})

/** The token endpoint, asked as a client that says another Host. */
async function redeemAt(host: string, form: Record<string, string>, more: Record<string, string>) {
  const body = new URLSearchParams(form).toString()
  const sent = request({
    ...{ host: '127.0.0.1', port: server.port, path: '/oidc/token', method: 'POST' },
    headers: { host, 'content-type': 'application/x-www-form-urlencoded', ...more },
  })
  const answered = new Promise<string>((resolve, reject) => {
    sent.on('response', (response) => resolve(text(response))).on('error', reject)
  })
  sent.end(body)
  return JSON.parse(await answered) as Record<string, string>
}

describe('the claims of a token', () => {
  const id = expect.stringMatching(/^[\w-]{21,43}$/)
  const time = expect.any(Number)

  it.each<[string, Record<string, string>]>([
    ['localhost', {}],
    ['evil.example', {}],
    ['127.0.0.1:1', {}],
    ['a.b', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }],
    ['[::1]:80', { forwarded: 'host=evil.example;proto=https', 'x-original-host': 'evil.example' }],
  ])('are the golden ones for Host %s', async (host, more) => {
    const { authorization, code } = await authorize(server, ADMIN, { scope: 'openid email events:read' })
    const body = await redeemAt(
      host,
      {
        grant_type: 'authorization_code',
        client_id: 'local-client-id',
        redirect_uri: authorization.redirectUri,
        code,
        code_verifier: authorization.verifier,
      },
      more,
    )
    const [{ userId }] = (await database.many<{ userId: string }>(
      sql`select id as "userId" from gateway.users`,
    )) as [{ userId: string }]
    const { issuer, apiUrl } = server.settings
    expect(decodeProtectedHeader(body.access_token ?? '')).toEqual({
      typ: 'at+jwt',
      alg: 'RS256',
      kid: server.keys[0]?.kid,
    })
    expect(decodeJwt(body.access_token ?? '')).toEqual({
      ...{ iss: issuer, aud: apiUrl, sub: userId, client_id: 'local-client-id', scope: 'events:read' },
      ...{ jti: id, prismeaiSessionId: id, iat: time, exp: time },
    })
    expect(decodeProtectedHeader(body.id_token ?? '')).toEqual({ alg: 'RS256', kid: server.keys[0]?.kid })
    expect(decodeJwt(body.id_token ?? '')).toEqual({
      ...{ iss: issuer, aud: 'local-client-id', sub: userId, email: ADMIN.email, email_verified: true },
      ...{ amr: ['pwd'], iat: time, exp: time },
    })
  })
})
