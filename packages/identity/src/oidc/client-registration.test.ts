import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import {
  askRegistration,
  partnerMetadata,
  REGISTRATION_TOKEN,
  registerClient,
} from '../../test/registration.ts'

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

const register = (changed: Record<string, unknown> = {}) =>
  askRegistration(`${server.settings.issuer}/reg`, { body: partnerMetadata(server, changed) })

const auditOf = (clientId: string) =>
  database.many<{ action: string; actor: string; details: string }>(
    sql`select action, actor, details from audit.entries where subject = ${`client:${clientId}`} order by sequence`,
  )

describe('registering a client', () => {
  it('answers it with a secret and the token it is changed with, and writes who did it', async () => {
    const { status, headers, body } = await register()
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toMatchObject({
      client_name: 'Partner',
      allowedResources: [server.settings.apiUrl],
      resourceScopes: 'events:read files:read',
      client_secret: expect.stringMatching(/^[A-Za-z0-9]{43}$/),
      registration_client_uri: `${server.settings.issuer}/reg/${String(body.client_id)}`,
      registration_access_token: expect.stringMatching(/./),
    })
    expect(await auditOf(String(body.client_id))).toMatchObject([
      { action: 'oidcClient.registered', actor: 'platform' },
    ])
  })

  it('keeps no secret that can be read in the database, nor in the audit trail', async () => {
    const client = await registerClient(server)
    for (const secret of [client.client_secret, client.registration_access_token]) {
      const found = await database.many(sql`
        select 1 from gateway.oidc_records r where r::text like ${`%${secret}%`}
        union all select 1 from audit.entries e where e::text like ${`%${secret}%`}`)
      expect(found).toEqual([])
    }
  })

  it.each(['', 'wrong-token', `${REGISTRATION_TOKEN}x`, REGISTRATION_TOKEN.slice(1)])(
    'is refused with the token %j',
    async (token) => {
      const url = `${server.settings.issuer}/reg`
      const { status, body } = await askRegistration(url, { token, body: partnerMetadata(server) })
      expect(status).toBe(401)
      expect(body.client_id).toBeUndefined()
    },
  )

  it('is not there without the variable', async () => {
    await using off = await startIdentityServer({ database })
    for (const [method, path] of [
      ['POST', '/reg'],
      ['GET', '/reg/abc'],
      ['PUT', '/reg/abc'],
      ['DELETE', '/reg/abc'],
    ])
      expect((await askRegistration(`${off.settings.issuer}${path}`, { method: method ?? '' })).status).toBe(
        404,
      )
  })

  it.each<[string, Record<string, unknown>]>([
    ['no allowedResources', { allowedResources: undefined }],
    ['another resource', { allowedResources: ['https://other.example/api'] }],
    ['no resourceScopes', { resourceScopes: undefined }],
    ['a scope nobody knows', { resourceScopes: 'events:read root' }],
    ['a right to be first party', { firstParty: true }],
    ['an id of its own', { client_id: 'local-client-id' }],
    ['a secret of its own', { client_secret: 'mine' }],
    ['keys elsewhere', { jwks_uri: 'http://169.254.169.254/latest/meta-data' }],
    ['a sector elsewhere', { sector_identifier_uri: 'https://127.0.0.1/sector' }],
    ['a logo elsewhere', { logo_uri: 'https://evil.example/logo.png' }],
    ['a back channel', { backchannel_logout_uri: 'http://127.0.0.1:5432/' }],
    ['an algorithm', { id_token_signed_response_alg: 'none' }],
    ['an implicit grant', { grant_types: ['implicit'] }],
    ['a token response', { response_types: ['token'] }],
    [
      'client credentials without a secret',
      { grant_types: ['client_credentials'], redirect_uris: [], token_endpoint_auth_method: 'none' },
    ],
    ['redirects nobody needs', { grant_types: ['client_credentials'] }],
    ['no redirect', { redirect_uris: [] }],
    ['no name', { client_name: ' ' }],
    ['a name with hidden characters', { client_name: 'Plat\u202eform' }],
    ['a name that is no text', { client_name: { a: 1 } }],
    ['redirects that are no list', { redirect_uris: 'https://app.partner.test/callback' }],
  ])('is refused with %s', async (_, changed) => {
    const { status, body } = await register(changed)
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^invalid_(client_metadata|redirect_uri)$/),
    ])
    expect(body.error_description).toMatch(/\.$/)
  })

  it.each([
    'http://app.partner.test/callback',
    'https://app.partner.test/callback#fragment',
    'https://app.partner.test/callback#',
    'https://user@app.partner.test/callback',
    'https://user:secret@app.partner.test/callback',
    'https://@app.partner.test/callback',
    'https://*.partner.test/callback',
    'https://app.partner.test/*',
    'https://app.partner.test/../callback',
    'https://APP.partner.test/callback',
    'https://app.partner.test:443/callback',
    'https:\\\\app.partner.test\\callback',
    'https:app.partner.test/callback',
    ' https://app.partner.test/callback',
    'https://app.partner.test/call back',
    'https://app.pаrtner.test/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'ai.partner.app:/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'callback',
    '',
  ])('is refused with the redirect %j', async (uri) => {
    const redirect = await register({ redirect_uris: ['https://app.partner.test/callback', uri] })
    expect([redirect.status, redirect.body.error]).toEqual([400, 'invalid_redirect_uri'])
    expect((await register({ post_logout_redirect_uris: [uri] })).status).toBe(400)
  })

  it.each(['http://127.0.0.1/callback', 'http://localhost:8080/callback', 'http://[::1]/callback'])(
    'takes %s for a native client',
    async (uri) => {
      const native = { application_type: 'native', token_endpoint_auth_method: 'none', redirect_uris: [uri] }
      const { status, body } = await register(native)
      expect([status, body.client_secret]).toEqual([201, undefined])
    },
  )

  it.each(['ai.partner.app:/callback', 'http://192.168.0.1/callback', 'https://localhost/callback'])(
    'takes no %s for a native client either',
    async (uri) => {
      expect((await register({ application_type: 'native', redirect_uris: [uri] })).status).toBe(400)
    },
  )

  it('is refused as anything but JSON', async () => {
    const response = await fetch(`${server.settings.issuer}/reg`, {
      method: 'POST',
      headers: { authorization: `Bearer ${REGISTRATION_TOKEN}` },
      body: new URLSearchParams({ client_name: 'x' }),
    })
    expect(response.status).toBe(400)
    for (const body of ['[]', 'null', '"x"', [1]])
      expect((await register(body as never)).status).not.toBe(500)
  })
})
