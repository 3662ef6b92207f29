import { sql } from '@platform/database'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { comeFrom, REGISTRATION_TOKEN, redeemAs, registerClient, secretOf } from '../../test/registration.ts'
import { Browser, returnedTo, type Visited } from '../../test/sign-in.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  const externalClients = [
    {
      client_id: 'guest-app',
      client_name: 'Guest app',
      redirect_uris: ['http://127.0.0.1/callback'],
      resourceScopes: ['events:read' as const],
      firstParty: false,
    },
  ]
  server = await startIdentityServer({
    database,
    given: { registrationToken: REGISTRATION_TOKEN, externalClients },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const isConsent = (page: Visited) => page.text.includes('name="decision"')
const allow = (browser: Browser, page: Visited) => browser.submit(page, { decision: 'allow' })
const deny = (browser: Browser, page: Visited) => browser.submit(page, { decision: 'deny' })

describe('allowing', () => {
  it('leads back with a code for what was agreed to, and no more', async () => {
    const client = await registerClient(server)
    const { authorization, browser, page } = await comeFrom(server, client, {
      scope: 'openid email events:read workspaces:write',
    })
    const back = await allow(browser, page)
    expect(back.headers.get('location')).toMatch(/^https:\/\/app\.partner\.test\/callback\?/)
    expect(returnedTo(back).get('iss')).toBe(server.settings.issuer)
    expect(returnedTo(back).get('state')).toBe(authorization.state)
    const code = returnedTo(back).get('code') ?? ''
    const { status, body } = await redeemAs(server, client, { code, verifier: authorization.verifier })
    expect(status).toBe(200)
    expect(decodeJwt(String(body.access_token))).toMatchObject({
      scope: 'events:read',
      client_id: client.client_id,
    })
    expect(decodeJwt(String(body.id_token))).toMatchObject({ email: ADMIN.email, email_verified: false })
  })

  it('is not asked for again, not even after signing out, until the client asks for more', async () => {
    const client = await registerClient(server)
    const { browser, page } = await comeFrom(server, client)
    await allow(browser, page)
    expect((await comeFrom(server, client, {}, browser)).page.status).toBe(303)
    expect((await comeFrom(server, client, { scope: 'openid' }, browser)).page.status).toBe(303)

    const elsewhere = await comeFrom(server, client, {}, new Browser())
    expect(returnedTo(elsewhere.page).get('code')).toMatch(/./)

    const more = await comeFrom(server, client, { scope: 'openid email events:read files:read' }, browser)
    expect(isConsent(more.page)).toBe(true)
    await allow(browser, more.page)
    const again = await comeFrom(server, client, { scope: 'openid files:read' }, browser)
    expect(again.page.status).toBe(303)
  })

  it('counts for one place only: another host of the same client is asked for again', async () => {
    const redirect_uris = ['https://app.partner.test/callback', 'https://other.partner.test/callback']
    const client = await registerClient(server, { redirect_uris })
    const { browser, page } = await comeFrom(server, client)
    await allow(browser, page)
    const other = await comeFrom(server, client, { redirect_uri: redirect_uris[1] }, browser)
    expect(isConsent(other.page)).toBe(true)
    expect(other.page.text).toContain('other.partner.test')
  })

  it('covers a refresh token, which the page tells of', async () => {
    const client = await registerClient(server)
    const { authorization, browser, page } = await comeFrom(server, client, {
      scope: 'openid offline_access',
    })
    expect(page.text).toContain('while you are away')
    const code = returnedTo(await allow(browser, page)).get('code') ?? ''
    const { body } = await redeemAs(server, client, { code, verifier: authorization.verifier })
    expect(body.refresh_token).toMatch(/./)
  })

  it('is asked for each time where a client can’t prove who it is', async () => {
    const app = { client_id: 'guest-app' }
    const redirect = { redirect_uri: 'http://127.0.0.1:49152/callback' }
    const { browser, page } = await comeFrom(server, app, redirect)
    expect(page.text).toContain('an app on this device')
    const back = await allow(browser, page)
    expect(back.headers.get('location')).toMatch(/^http:\/\/127\.0\.0\.1:49152\/callback\?/)
    expect(isConsent((await comeFrom(server, app, redirect, browser)).page)).toBe(true)
  })

  it('is refused silently where the client wants no page', async () => {
    const client = await registerClient(server)
    const { browser } = await comeFrom(server, client)
    const { page } = await comeFrom(server, client, { prompt: 'none' }, browser)
    expect(returnedTo(page).get('error')).toBe('consent_required')
  })
})

describe('not allowing', () => {
  it('tells the client, with iss and state, and keeps nothing', async () => {
    const client = await registerClient(server)
    const { authorization, browser, page } = await comeFrom(server, client)
    const back = await deny(browser, page)
    const answer = returnedTo(back)
    expect([answer.get('error'), answer.get('code')]).toEqual(['access_denied', null])
    expect([answer.get('iss'), answer.get('state')]).toEqual([server.settings.issuer, authorization.state])
    const rows = await database.many(
      sql`select 1 from gateway.oidc_consents where client_id = ${client.client_id}`,
    )
    expect(rows).toEqual([])
    expect(isConsent((await comeFrom(server, client, {}, browser)).page)).toBe(true)
  })
})

describe('a form of consent', () => {
  async function open() {
    const client = await registerClient(server)
    return { client, ...(await comeFrom(server, client)) }
  }

  it.each([{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])(
    'that another site has sent is refused: %j',
    async (headers: Record<string, string>) => {
      const { browser, page } = await open()
      const refused = await browser.submit(page, { decision: 'allow' }, { headers })
      expect([refused.status, refused.headers.get('location')]).toEqual([403, null])
    },
  )

  it.each([{}, { decision: 'yes' }, { decision: '' }])('is refused when it says %j', async (fields) => {
    const { browser, page } = await open()
    expect((await browser.submit(page, fields)).status).toBe(400)
    expect((await allow(browser, page)).status).toBe(303)
  })

  it('is refused from another browser, a second time, and for an unknown sign-in', async () => {
    const { browser, page } = await open()
    expect((await allow(new Browser(), page)).status).toBe(400)
    expect((await allow(browser, page)).status).toBe(303)
    expect((await allow(browser, page)).status).toBe(400)
    const url = `${server.settings.issuer}/interaction/nowhere/consent`
    expect((await browser.visit(url, { form: { decision: 'allow' } })).status).toBe(400)
  })

  it('is refused while the password is asked for', async () => {
    const client = await registerClient(server)
    const browser = new Browser()
    const asked = { client_id: client.client_id, redirect_uri: 'https://app.partner.test/callback' }
    const { authorizationOf } = await import('../../test/sign-in.ts')
    const page = await browser.visit(authorizationOf(server, asked).url)
    const url = page.url.replace(/\?.*$/, '')
    expect((await browser.visit(`${url}/consent`, { form: { decision: 'allow' } })).status).toBe(400)
  })

  it('is refused as anything but a form', async () => {
    const { browser, page } = await open()
    const headers = { 'content-type': 'text/plain' }
    expect((await browser.submit(page, { decision: 'allow' }, { headers })).status).toBe(415)
  })
})

it('keeps no consent of a client that is gone, and ends what it obtained', async () => {
  const client = await registerClient(server)
  const { authorization, browser, page } = await comeFrom(server, client)
  const code = returnedTo(await allow(browser, page)).get('code') ?? ''
  const { body } = await redeemAs(server, client, { code, verifier: authorization.verifier })
  const { prismeaiSessionId } = decodeJwt(String(body.access_token))
  const headers = { authorization: `Bearer ${client.registration_access_token}` }
  expect((await fetch(client.registration_client_uri, { method: 'DELETE', headers })).status).toBe(204)
  expect(await server.sessions.find(String(prismeaiSessionId))).toBeUndefined()
  expect(secretOf(client).client_id).toBe(client.client_id)
  const kept = await database.many(
    sql`select 1 from gateway.oidc_consents where client_id = ${client.client_id}
      union all select 1 from gateway.oidc_records where payload::text like ${`%${client.client_id}%`}
      and model <> 'Session'`,
  )
  expect(kept).toEqual([])
})
