import { sql } from '@platform/database'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { addAuthenticator, addPerson, codeOf, PASSWORD, wrongCode } from '../../test/second-factors.ts'
import { authorizationOf, Browser, redeemCode, returnedTo, type Visited } from '../../test/sign-in.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database, env: { MFA_FORCE_LOCAL: 'true', MFA_ISSUER: 'Acme' } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

/** A person without an authenticator, at the page that asks to set one up. */
async function atEnrolment(email: string) {
  const user = await addPerson(server, email)
  const authorization = authorizationOf(server)
  const browser = new Browser()
  const form = await browser.visit(authorization.url)
  const page = await browser.submit(form, { login: email, password: PASSWORD })
  return { user, authorization, browser, page }
}

const secretIn = (page: Visited): string =>
  (/<code>([A-Z2-7 ]{32,})<\/code>/.exec(page.text)?.[1] ?? '').replaceAll(' ', '')
const codesIn = (page: Visited): string[] =>
  [...page.text.matchAll(/<li><code>([0-9A-Z-]{17})<\/code>/g)].map(([, code]) => code ?? '')

describe('MFA_FORCE_LOCAL', () => {
  it('asks to set an authenticator up: picture, key in groups, first code', async () => {
    const { page } = await atEnrolment('sees@example.com')
    expect(page.status).toBe(200)
    expect(page.text).toMatch(/<img class="qr" src="data:image\/png;base64,[^"]+" [^>]*alt="[^"]+"/)
    expect(page.headers.get('content-security-policy')).toContain('img-src data:;')
    expect(secretIn(page)).toHaveLength(32)
    expect(page.text).not.toMatch(/<script/)
  })

  it('goes on after the first code and after the recovery codes were kept', async () => {
    const { authorization, browser, page } = await atEnrolment('enrols@example.com')
    const wrong = await browser.submit(page, { code: wrongCode(secretIn(page)) })
    expect([wrong.status, secretIn(wrong)]).toEqual([401, secretIn(page)])
    const codes = await browser.submit(wrong, { code: codeOf(secretIn(page)) })
    expect(codesIn(codes)).toHaveLength(10)
    expect(codes.headers.get('cache-control')).toBe('no-store')
    const back = await browser.submit(codes, { kept: 'true' })
    const { body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
    expect(decodeJwt(String(body.id_token)).amr).toEqual(['pwd', 'otp', 'mfa'])
  })

  it('shows the same recovery codes until they are kept, and keeps them sealed meanwhile', async () => {
    const { browser, page } = await atEnrolment('keeps@example.com')
    const codes = await browser.submit(page, { code: codeOf(secretIn(page)) })
    const notKept = await browser.submit(codes, {})
    expect([notKept.status, codesIn(notKept)]).toEqual([400, codesIn(codes)])
    expect(notKept.text).toContain('role="alert"')
    expect(codesIn(await browser.visit(codes.url))).toEqual(codesIn(codes))
    const rows = await database.many(sql`select payload::text from gateway.oidc_records`)
    for (const code of codesIn(codes)) expect(JSON.stringify(rows)).not.toContain(code)
  })

  it('can’t be gone around by the resume address, before the first code or before the codes are kept', async () => {
    const { browser, page } = await atEnrolment('skips@example.com')
    const [, uid] = /\/interaction\/([^/]+)/.exec(page.url) ?? []
    const resume = () => browser.visit(`${server.settings.issuer}/auth/${uid}`)
    expect((await resume()).text).toContain('type="password"')
    const next = await atEnrolment('skips later@example.com')
    await next.browser.submit(next.page, { code: codeOf(secretIn(next.page)) })
    const [, later] = /\/interaction\/([^/]+)/.exec(next.page.url) ?? []
    const resumed = await next.browser.visit(`${server.settings.issuer}/auth/${later}`)
    expect(resumed.text).toContain('type="password"')
  })

  it('takes no recovery codes page for granted', async () => {
    const { browser, page } = await atEnrolment('jumps@example.com')
    const jumped = await browser.visit(`${page.url}/recovery-codes`, { form: { kept: 'true' } })
    expect([jumped.status, secretIn(jumped)]).toEqual([200, secretIn(page)])
  })

  it('asks for a code only where there is an authenticator already', async () => {
    const user = await addPerson(server, 'has@example.com')
    await addAuthenticator(server, user)
    const browser = new Browser()
    const form = await browser.visit(authorizationOf(server).url)
    const page = await browser.submit(form, { login: 'has@example.com', password: PASSWORD })
    expect(page.text).toContain('autocomplete="one-time-code"')
    expect(secretIn(page)).toBe('')
  })

  it('begins with a new secret each time the password was typed', async () => {
    const { browser, page } = await atEnrolment('fresh@example.com')
    const form = await browser.visit(`${page.url}/password`)
    const again = await browser.submit(form, { login: 'fresh@example.com', password: PASSWORD })
    expect(secretIn(again)).not.toBe(secretIn(page))
  })
})
