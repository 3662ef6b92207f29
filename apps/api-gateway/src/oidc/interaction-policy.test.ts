import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addPerson, PASSWORD } from '../second-factors/testing.ts'
import { authorizationOf, Browser, returnedTo } from '../sign-in/testing.ts'
import { type IdentityServer, identityDatabase, startIdentityServer } from './testing.ts'

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
      update gateway.users set password_hash = 'another', updated_at = updated_at + interval '1 second' where id = ${user.id}`)
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
