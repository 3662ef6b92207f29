import { createUser, signUp } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startPeople, trailOf } from '../../test/people.ts'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let root: SignedIn
let ada: SignedIn
beforeAll(async () => {
  // As a production platform without a mail server is.
  gateway = await startIdentity({ env: { DISABLE_LOCAL_SIGNUP: 'true' } })
  ;({ root, ada } = await startPeople(gateway))
})
afterAll(() => gateway[Symbol.asyncDispose]())

const person = (email: string) => ({ email, firstName: 'Grace', lastName: 'Hopper' })
const create = (headers: Record<string, string>, email: string) =>
  gateway.client(headers)(createUser, { body: person(email) })

describe('POST /v2/platform/users', () => {
  test('makes an account that works at once where nobody may sign up, for administrators and operators', async () => {
    await expect(
      gateway.client()(signUp, {
        body: { ...person('grace@example.com'), password: 'a long enough password' },
      }),
    ).rejects.toMatchObject({ status: 403 })
    const { user, password } = await create(gateway.internalHeaders, 'Grace@Example.com')
    expect(user).toMatchObject({ email: 'grace@example.com', status: 'validated', firstName: 'Grace' })
    expect(password).toMatch(/^.{23}$/)
    expect(user.platformRole).toBeUndefined()
    expect((await create(root.headers, 'second@example.com')).user.status).toBe('validated')
  })

  test('keeps a hash of the password alone, and notes who made the account', async () => {
    const { user, password } = await create(root.headers, 'noted@example.com')
    expect(await trailOf(gateway, user.id)).toEqual(['account.created'])
    const [entry] = await gateway.database.many<{ actor: string }>(
      sql`select actor from audit.entries where subject = ${`user:${user.id}`}`,
    )
    expect(entry?.actor).toBe(`user:${root.userId}`)
    const [kept] = await gateway.database.many<{ text: string }>(
      sql`select row_to_json(users)::text as text from gateway.users where id = ${user.id}`,
    )
    expect(kept?.text).not.toContain(password)
    const events = await gateway.database.many<{ text: string }>(
      sql`
        select row_to_json(events)::text as text from outbox.events events
        where row_to_json(events)::text like ${`%${user.id}%`}`,
    )
    expect(events.length).toBeGreaterThan(0)
    expect(events.filter(({ text }) => text.includes(password))).toEqual([])
  })

  test('refuses an address that has an account', async () => {
    await create(root.headers, 'twice@example.com')
    await expect(create(root.headers, 'TWICE@example.com')).rejects.toMatchObject({ name: 'AlreadyUsed' })
  })

  test('refuses what is no address', async () => {
    await expect(create(root.headers, 'nobody')).rejects.toMatchObject({ status: 400 })
  })

  test('is for super administrators and the internal key alone', async () => {
    await expect(create({}, 'x@example.com')).rejects.toMatchObject({ status: 401 })
    await expect(create(ada.headers, 'x@example.com')).rejects.toMatchObject({ status: 403 })
  })
})
