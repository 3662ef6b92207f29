import { sql } from '@platform/database'
import { createLogger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import {
  askRegistration,
  comeFrom,
  partnerMetadata,
  REGISTRATION_TOKEN,
  type Registered,
  registerClient,
  tokenForItself,
} from '../../test/registration.ts'
import { returnedTo } from '../../test/sign-in.ts'
import { resealRound } from '../keys/master-keys/reseal-secrets.ts'
import { sealedColumnStore } from '../keys/master-keys/sealed-column-store.ts'
import { clientSecretContext, sealedClientSecrets } from './client-records.ts'

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

const at = (client: Registered, method: string, body?: unknown, token = client.registration_access_token) =>
  askRegistration(client.registration_client_uri, { method, token, body })

const auditOf = (clientId: string) =>
  database.many<{ action: string; actor: string; details: string }>(
    sql`select action, actor, details from audit.entries where subject = ${`client:${clientId}`} order by sequence`,
  )

describe('a registered client', () => {
  it('reads itself back, changes itself and goes away, each with its own token only', async () => {
    const client = await registerClient(server)
    const other = await registerClient(server)
    expect((await at(client, 'GET')).body).toMatchObject({
      client_id: client.client_id,
      client_secret: client.client_secret,
    })

    const change = { ...partnerMetadata(server, { client_name: 'Renamed' }), client_id: client.client_id }
    expect((await at(client, 'PUT', change)).body).toMatchObject({
      client_name: 'Renamed',
      client_secret: client.client_secret,
    })
    for (const token of ['', 'wrong', REGISTRATION_TOKEN]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status } = await at(client, method, method === 'PUT' ? change : undefined, token)
        expect(status).toBe(401)
      }
    }
    expect((await at(client, 'DELETE')).status).toBe(204)
    expect((await at(client, 'GET')).status).toBe(401)
    expect((await tokenForItself(server, client)).status).toBe(401)
    expect((await at(other, 'GET')).status).toBe(200)
    expect((await auditOf(client.client_id)).map(({ action, actor }) => [action, actor])).toEqual([
      ['oidcClient.registered', 'platform'],
      ['oidcClient.changed', `client:${client.client_id}`],
      ['oidcClient.changed', `client:${client.client_id}`],
    ])
  })

  it('can’t read another, and loses its token when it tries', async () => {
    const [client, other] = [await registerClient(server), await registerClient(server)]
    expect((await at(client, 'GET', undefined, other.registration_access_token)).status).toBe(401)
    expect((await at(other, 'GET')).status).toBe(401)
  })

  it.each<[string, Record<string, unknown>]>([
    ['another id', { client_id: 'gateway-signin' }],
    ['a new secret', { client_secret: 'chosen' }],
    ['a right to be first party', { firstParty: true }],
    ['a loose redirect', { redirect_uris: ['https://*.partner.test/callback'] }],
    ['another resource', { allowedResources: ['urn:all'] }],
  ])('is refused a change to %s', async (_, changed) => {
    const client = await registerClient(server)
    const body = { ...partnerMetadata(server), client_id: client.client_id, ...changed }
    expect((await at(client, 'PUT', body)).status).toBe(400)
    expect((await at(client, 'GET')).body).toMatchObject(partnerMetadata(server))
  })

  it('can’t read or change the clients of the platform', async () => {
    const client = await registerClient(server)
    for (const id of ['local-client-id', 'gateway-signin', 'nobody']) {
      const url = `${server.settings.issuer}/reg/${id}`
      const { registration_access_token: token } = await registerClient(server)
      expect((await askRegistration(url, { method: 'GET', token })).status).toBe(401)
    }
    expect((await at(client, 'GET')).status).toBe(200)
  })

  it('never gets a scope it was not registered with', async () => {
    const client = await registerClient(server, { resourceScopes: ['events:read'] })
    const { browser, page } = await comeFrom(server, client, {
      scope: 'openid events:read events:write workspaces:read workspaces:write',
    })
    const back = await browser.submit(page, { decision: 'allow' })
    expect(returnedTo(back).get('code')).toMatch(/./)
    const grants = await database.many<{ scope: string }>(sql`
      select payload -> 'resources' ->> ${server.settings.apiUrl} as scope from gateway.oidc_records
      where model = 'Grant' and payload ->> 'clientId' = ${client.client_id}`)
    expect(grants).toEqual([{ scope: 'events:read' }])
  })

  it('works on after the signing key has changed its algorithm', async () => {
    const client = await registerClient(server, { grant_types: ['client_credentials'], redirect_uris: [] })
    await using other = await startIdentityServer({
      database,
      alg: 'ES384',
      port: 0,
      given: { registrationToken: REGISTRATION_TOKEN },
    })
    const { body } = await askRegistration(`${other.settings.issuer}/reg/${client.client_id}`, {
      method: 'GET',
      token: client.registration_access_token,
    })
    expect(body.id_token_signed_response_alg).toBe('ES384')
  })

  it('is known to every instance at once, with its secret', async () => {
    const client = await registerClient(server, { grant_types: ['client_credentials'], redirect_uris: [] })
    const { status, body } = await tokenForItself(server, client)
    expect(status).toBe(200)
    expect(decodeJwt(String(body.access_token)).client_id).toBe(client.client_id)
    const wrong = { ...client, client_secret: `${client.client_secret.slice(1)}x` }
    expect((await tokenForItself(server, wrong)).status).toBe(401)
  })

  it('loses what it has obtained with a right that is taken from it, and nothing else', async () => {
    const client = await registerClient(server, { grant_types: ['client_credentials'], redirect_uris: [] })
    const live = async () => server.sessions.find(String(decodeJwt(jwt).prismeaiSessionId))
    const jwt = String((await tokenForItself(server, client)).body.access_token)
    const change = (changed: Record<string, unknown>) =>
      at(client, 'PUT', {
        ...partnerMetadata(server, { grant_types: ['client_credentials'], redirect_uris: [], ...changed }),
        client_id: client.client_id,
      })
    await change({ client_name: 'Renamed', resourceScopes: 'files:read events:read webhooks' })
    expect(await live()).toBeDefined()
    await change({ resourceScopes: 'files:read' })
    expect(await live()).toBeUndefined()
  })

  it('keeps its secret when the master key is replaced', async () => {
    const client = await registerClient(server, { grant_types: ['client_credentials'], redirect_uris: [] })
    const old = { id: 'test', key: Buffer.alloc(32, 7) }
    const next = { id: 'next', key: Buffer.alloc(32, 8) }
    const log = createLogger({ level: 'silent' })
    const deps = { database, log, audit: server.audit, columns: [sealedColumnStore(sealedClientSecrets)] }
    await resealRound({ ...deps, masterKeys: masterKeyRing([next, old]) })
    const [kept] = await database.many<{ sealed: string }>(sql`
      select payload ->> 'sealedSecret' as sealed from gateway.oidc_records where id = ${client.client_id}`)
    const opened = masterKeyRing([next]).open(kept?.sealed ?? '', clientSecretContext(client.client_id))
    expect(opened).toBe(client.client_secret)
    await resealRound({ ...deps, masterKeys: masterKeyRing([old, next]) })
    expect((await tokenForItself(server, client)).status).toBe(200)
  })
})
