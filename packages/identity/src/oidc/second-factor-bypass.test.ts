import { sql } from '@platform/database'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { addAuthenticator, addPerson, afterPassword, amrOf, codeOf } from '../../test/second-factors.ts'
import { authorizationOf, Browser, redeemCode, returnedTo, type Visited } from '../../test/sign-in.ts'

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

const personWithCode = async (email: string) => addAuthenticator(server, await addPerson(server, email))

const uidOf = (page: Visited): string => /\/interaction\/([^/]+)/.exec(page.url)?.[1] ?? ''

describe('the second factor can’t be gone around', () => {
  it('by the resume address: it never yields a code', async () => {
    await personWithCode('skips@example.com')
    const { browser, page } = await afterPassword(server, 'skips@example.com')
    const resumed = await browser.visit(`${server.settings.issuer}/auth/${uidOf(page)}`)
    expect([resumed.status, resumed.text.includes('type="password"')]).toEqual([200, true])
    const anew = await browser.visit(authorizationOf(server).url)
    expect([anew.status, anew.text.includes('type="password"')]).toEqual([200, true])
    const silent = await browser.visit(authorizationOf(server, { prompt: 'none' }).url)
    expect(returnedTo(silent).get('error')).toBe('login_required')
  })

  it('by the resume address of a browser that is signed in as somebody else: it stays them', async () => {
    const attacker = await addPerson(server, 'attacker@example.com')
    await personWithCode('victim@example.com')
    const { browser } = await afterPassword(server, 'attacker@example.com')
    const changed = { prompt: 'login' }
    const { page } = await afterPassword(server, 'victim@example.com', { changed, browser })
    const resumed = await browser.visit(`${server.settings.issuer}/auth/${uidOf(page)}`)
    expect(resumed.text).toContain('type="password"')
    const authorization = authorizationOf(server)
    const back = await browser.visit(authorization.url)
    const { body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
    expect(decodeJwt(String(body.access_token)).sub).toBe(attacker.id)
  })

  it('by the form of the code without a password before', async () => {
    const { secret } = await personWithCode('no-password@example.com')
    const browser = new Browser()
    const form = await browser.visit(authorizationOf(server).url)
    const page = await browser.visit(`${form.url}/code`, { form: { code: codeOf(secret, 1) } })
    expect([page.status, page.text.includes('type="password"')]).toEqual([200, true])
  })

  it('by values in the page: it holds nothing of the account that is sent back', async () => {
    const { user } = await personWithCode('values@example.com')
    const { page } = await afterPassword(server, 'values@example.com')
    expect(page.text).not.toContain(user.id)
    expect(page.text).not.toMatch(/type="hidden"/)
  })

  it('by another browser', async () => {
    const { secret } = await personWithCode('browser@example.com')
    const { page } = await afterPassword(server, 'browser@example.com')
    const stolen = await new Browser().submit(page, { code: codeOf(secret, 1) })
    expect(stolen.status).toBe(400)
  })

  it.each([
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['JSON', { 'content-type': 'application/json' }, 415],
  ])('by a form from %s', async (what, headers, status) => {
    const email = `${status}@example.com`
    const { secret } = await personWithCode(email)
    const { browser, page } = await afterPassword(server, email)
    expect((await browser.submit(page, { code: codeOf(secret, 1) }, { headers })).status, what).toBe(status)
  })

  it('by waiting: after ten minutes the password is asked for again', async () => {
    const { secret } = await personWithCode('waits@example.com')
    const { browser, page } = await afterPassword(server, 'waits@example.com')
    await database.many(sql`
      update gateway.oidc_records set payload = jsonb_set(payload, '{result,waiting,since}',
        to_jsonb((payload #>> '{result,waiting,since}')::bigint - 601000))
      where model = 'Interaction' and payload #>> '{result,waiting,since}' is not null`)
    const late = await browser.submit(page, { code: codeOf(secret, 1) })
    expect([late.status, late.text.includes('It has been too long')]).toEqual([200, true])
    expect(late.text).toContain('type="password"')
  })

  it('by an account that was deactivated meanwhile', async () => {
    const { secret, user } = await personWithCode('gone@example.com')
    const { browser, page } = await afterPassword(server, 'gone@example.com')
    await database.many(sql`update gateway.users set status = 'deactivated' where id = ${user.id}`)
    const late = await browser.submit(page, { code: codeOf(secret, 1) })
    expect([late.status, late.text.includes('type="password"')]).toEqual([200, true])
  })

  it('by a password that was replaced meanwhile', async () => {
    const { secret, user } = await personWithCode('replaced@example.com')
    const { browser, page } = await afterPassword(server, 'replaced@example.com')
    await server.users.replacePassword('replaced@example.com', 'the hash of another password')
    const late = await browser.submit(page, { code: codeOf(secret, 1) })
    expect([late.status, late.text.includes('type="password"')], user.id).toEqual([200, true])
  })

  it('but goes on without it where an administrator has taken it away meanwhile', async () => {
    const { user } = await personWithCode('freed@example.com')
    const { authorization, browser, page } = await afterPassword(server, 'freed@example.com')
    await server.secondFactors.remove(user.id, 'platform')
    const back = await browser.submit(page, { code: '000000' })
    expect(await amrOf(server, authorization, back)).toEqual(['pwd'])
  })
})
