import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { addPerson, PASSWORD } from '../../test/second-factors.ts'
import { authorizationOf, authorize, Browser, redeemCode, returnedTo } from '../../test/sign-in.ts'

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

/** Somebody types the right password and does not follow to the end of the sign-in. */
async function finishedButHeld(email: string) {
  const user = await addPerson(server, email)
  const browser = new Browser()
  const page = await browser.visit(authorizationOf(server).url)
  const held = await browser.submit(page, { login: email, password: PASSWORD }, { follow: false })
  return { user, browser, resume: held.headers.get('location') ?? '' }
}

describe('a sign-in that was finished and not followed yet', () => {
  it('goes on as long as the account stays as it was', async () => {
    const { browser, resume } = await finishedButHeld('holds@example.com')
    expect(returnedTo(await browser.visit(resume)).get('code')).toBeTruthy()
  })

  it('ends when the account has a new password, and leaves nobody signed in', async () => {
    const { user, browser, resume } = await finishedButHeld('resets@example.com')
    await database.many(sql`
      update gateway.users set password_hash = 'another', updated_at = updated_at + interval '1 second'
      where id = ${user.id}`)
    const resumed = await browser.visit(resume)
    expect([resumed.status, resumed.text.includes('type="password"')]).toEqual([200, true])
    const anew = await browser.visit(authorizationOf(server).url)
    expect([anew.status, anew.text.includes('type="password"')]).toEqual([200, true])
    const silent = await browser.visit(authorizationOf(server, { prompt: 'none' }).url)
    expect(returnedTo(silent).get('error')).toBe('login_required')
  })

  it('ends when the account was deactivated or is gone', async () => {
    for (const change of [
      (id: string) => sql`update gateway.users set status = 'deactivated' where id = ${id}`,
      (id: string) => sql`delete from gateway.users where id = ${id}`,
    ]) {
      const { user, browser, resume } = await finishedButHeld(`${crypto.randomUUID()}@example.com`)
      await database.many(change(user.id))
      const resumed = await browser.visit(resume)
      expect([resumed.status, resumed.text.includes('type="password"')]).toEqual([200, true])
    }
  })
})

/** What a change of the password leaves, whatever was saved by a check of the old one that was under way. */
const changePassword = (id: string) =>
  database.many(sql`
    update gateway.users set sign_ins_valid_from = clock_timestamp() + interval '5 seconds' where id = ${id}`)

describe('a sign-in whose password was changed at that very moment', () => {
  it('gets no tokens for its code, and its browser is asked again', async () => {
    const user = await addPerson(server, 'races@example.com')
    const browser = new Browser()
    const authorization = authorizationOf(server)
    const page = await browser.visit(authorization.url)
    const returned = await browser.submit(page, { login: 'races@example.com', password: PASSWORD })
    const code = returnedTo(returned).get('code') ?? ''
    await changePassword(user.id)

    const { status, body } = await redeemCode(server, authorization, code)
    expect([status, body.error]).toEqual([400, 'invalid_grant'])
    const anew = await browser.visit(authorizationOf(server).url)
    expect([anew.status, anew.text.includes('type="password"')]).toEqual([200, true])
  })

  it('keeps nobody out who signs in with the new one right after', async () => {
    const user = await addPerson(server, 'returns@example.com')
    await changePassword(user.id)
    const person = { email: 'returns@example.com', password: PASSWORD }
    const { authorization, code } = await authorize(server, person)
    expect((await redeemCode(server, authorization, code)).status).toBe(200)
  })
})
