import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { comeFrom, REGISTRATION_TOKEN, registerClient } from '../../test/registration.ts'
import { authorizationOf, authorize, Browser, returnedTo } from '../../test/sign-in.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({
    database,
    given: { registrationToken: REGISTRATION_TOKEN },
  })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

describe('the page that asks for consent', () => {
  it('names the client, its host, the account and what it would get, and has no script', async () => {
    const client = await registerClient(server)
    const { page } = await comeFrom(server, client, {
      scope: 'openid email events:read workspaces:write nonsense',
    })
    expect(page.status).toBe(200)
    for (const part of ['Partner', 'app.partner.test', ADMIN.email, 'e-mail address', 'read the events'])
      expect(page.text).toContain(part)
    expect(page.text).not.toContain('change, create and delete your workspaces')
    expect(page.text).not.toContain('<script')
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://app.partner.test;",
    )
  })

  it('speaks French where asked to', async () => {
    const { page } = await comeFrom(server, await registerClient(server), { ui_locales: 'fr' })
    expect(page.text).toContain('Autoriser Partner')
    expect(page.text).toContain('<html lang="fr">')
  })

  it('shows a name as text, whatever it holds', async () => {
    const client = await registerClient(server, { client_name: '<img src=x onerror=alert(1)> & "Co"' })
    const { page } = await comeFrom(server, client)
    expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;Co&quot;')
    expect(page.text).not.toContain('<img')
  })

  it('is never shown for clients of the platform', async () => {
    for (const prompt of [undefined, 'consent', 'login consent']) {
      const { back } = await authorize(server, ADMIN, { prompt })
      expect(returnedTo(back).get('code')).toMatch(/./)
    }
  })

  it('is not for those who have not signed in, and asks them first', async () => {
    const { client_id } = await registerClient(server)
    const redirect_uri = 'https://app.partner.test/callback'
    const page = await new Browser().visit(authorizationOf(server, { client_id, redirect_uri }).url)
    expect(page.text).toContain('type="password"')
    expect(page.text).not.toContain('name="decision"')
  })
})
