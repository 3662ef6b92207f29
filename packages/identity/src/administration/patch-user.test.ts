import { createAccessToken, patchUser } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf } from '../../test/accounts.ts'
import { me, patch, startPeople, trailOf } from '../../test/people.ts'
import { refusedWithin, startTwoInstances, type TwoInstances } from '../../test/sessions.ts'
import type { TestIdentity } from '../../test/start-identity.ts'

let world: TwoInstances
let gateway: TestIdentity
let root: Awaited<ReturnType<typeof startPeople>>['root']
beforeAll(async () => {
  world = await startTwoInstances()
  gateway = world.gateway
  ;({ root } = await startPeople(gateway))
})
afterAll(() => world[Symbol.asyncDispose]())

describe('PATCH /v2/users/:userId', () => {
  test('edits an account, tells the feed and the audit trail', async () => {
    const eve = await gateway.signIn()
    const edited = await patch(gateway, root, eve.userId, {
      firstName: 'Eve',
      lastName: 'Ng',
      email: `NEW-${eve.userId}@example.com`,
      meta: { a: [1, { b: null }] },
    })
    expect(edited).toMatchObject({
      id: eve.userId,
      firstName: 'Eve',
      email: `new-${eve.userId}@example.com`,
      meta: { a: [1, { b: null }] },
    })
    expect(await trailOf(gateway, eve.userId)).toEqual(['account.updated'])
    const events = await eventsOf(gateway, 'gateway.users.updated', eve.userId)
    expect(events).toMatchObject([{ payload: { user: { id: eve.userId, firstName: 'Eve' } } }])
    expect((await me(gateway, eve)).firstName).toBe('Eve')
  })

  test('moves no account to an address that looks like another one', async () => {
    const eve = await gateway.signIn()
    await expect(patch(gateway, root, eve.userId, { email: '\u0430da@example.com' })).rejects.toMatchObject({
      status: 400,
    })
  })

  test('a deactivated account is refused everywhere within a second and comes back by a new sign-in only', async () => {
    const eve = await gateway.signIn()
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(eve.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const byToken = { ...eve, headers: { authorization: `Bearer ${token}` } }
    for (const who of [eve, byToken]) expect((await me(world.other, who)).id).toBe(eve.userId)

    await patch(gateway, root, eve.userId, { status: 'deactivated' })
    await Promise.all([eve, byToken].map((who) => refusedWithin(world.other, who, 1000)))
    expect(await trailOf(gateway, eve.userId)).toContain('account.deactivated')

    await patch(gateway, root, eve.userId, { status: 'validated' })
    await expect(me(gateway, eve)).rejects.toMatchObject({ status: 401 })
    expect((await me(gateway, byToken)).id).toBe(eve.userId)
  })

  test('a role counts at every instance within a second, and its sessions start anew', async () => {
    const eve = await gateway.signIn()
    const use = (at: TestIdentity, who = eve) => patch(at, who, eve.userId, { firstName: 'Eve' })
    await expect(use(world.other)).rejects.toMatchObject({ status: 403 })

    await patch(gateway, root, eve.userId, { platformRole: 'superAdmin' })
    await refusedWithin(world.other, eve, 1000)
    const promoted = await gateway.signIn({ userId: eve.userId })
    await expect(use(world.other, promoted)).resolves.toMatchObject({ firstName: 'Eve' })

    await patch(gateway, root, eve.userId, { platformRole: null })
    await refusedWithin(world.other, promoted, 1000)
    const again = await gateway.signIn({ userId: eve.userId })
    await expect(use(world.other, again)).rejects.toMatchObject({ status: 403 })
    const changes = (await trailOf(gateway, eve.userId)).filter((action) => action === 'account.roleChanged')
    expect(changes).toHaveLength(2)
  })

  test('the last super administrator stays one, however it is tried', async () => {
    const others = sql`
      update gateway.users set platform_role = null where platform_role = 'superAdmin' and id <> ${root.userId}
      returning id`
    const demoted = await gateway.database.many<{ id: string }>(others)
    const tries = [{ platformRole: null }, { status: 'deactivated' }, { status: 'pending' }] as const
    for (const body of tries)
      await expect(patch(gateway, root, root.userId, body)).rejects.toMatchObject({
        name: 'ForbiddenError',
        message: expect.stringContaining('last super administrator'),
      })
    expect((await me(gateway, root)).platformRole).toBe('superAdmin')
    await gateway.database.many(
      sql`update gateway.users set platform_role = 'superAdmin' where id = any(${demoted.map(({ id }) => id)}::text[])`,
    )
  })

  test('two super administrators can’t take each other’s role at once', async () => {
    const demoted = await gateway.database.many<{ id: string }>(
      sql`update gateway.users set platform_role = null where platform_role = 'superAdmin' and id <> ${root.userId}
        returning id`,
    )
    const second = await gateway.signIn({ superAdmin: true })
    const outcomes = await Promise.allSettled([
      patch(gateway, root, second.userId, { platformRole: null }),
      patch(world.other, second, root.userId, { platformRole: null }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const left = await gateway.database.many(
      sql`select 1 from gateway.users where platform_role = 'superAdmin'`,
    )
    expect(left).toHaveLength(1)
    await gateway.database.many(
      sql`update gateway.users set platform_role = 'superAdmin'
        where id = any(${[...demoted.map(({ id }) => id), root.userId]}::text[])`,
    )
    root = await gateway.signIn({ userId: root.userId })
  })

  test('an address somebody has is refused, and a new one is not validated', async () => {
    const [eve, bob] = [await gateway.signIn(), await gateway.signIn()]
    const taken = patch(gateway, root, eve.userId, { email: `${bob.userId}@EXAMPLE.com` })
    await expect(taken).rejects.toMatchObject({ name: 'AlreadyUsed', status: 409 })
    await gateway.database.many(
      sql`update gateway.users set email_validated_at = now() where id = ${eve.userId}`,
    )
    await patch(gateway, root, eve.userId, { email: `${eve.userId}.other@example.com` })
    const [row] = await gateway.database.many(
      sql`select email_validated_at from gateway.users where id = ${eve.userId}`,
    )
    expect(row).toEqual({ email_validated_at: null })
  })

  test.each([
    { status: 'gone' },
    { platformRole: 'owner' },
    { email: 'x' },
    { password: 'a new password' },
    { mfa: 'totp' },
    { id: 'x' },
  ])('refuses %j', async (body) => {
    const response = await fetch(`${gateway.url}/v2/users/${root.userId}`, {
      method: 'PATCH',
      headers: { ...root.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
  })

  test('is for super administrators: others 403, nobody 401, an unknown account 404', async () => {
    const eve = await gateway.signIn()
    const attempt = (headers: Record<string, string>, userId = eve.userId) =>
      gateway.client(headers)(patchUser, { params: { userId }, body: { firstName: 'X' } })
    await expect(attempt(eve.headers)).rejects.toMatchObject({ status: 403 })
    await expect(attempt({})).rejects.toMatchObject({ status: 401 })
    await expect(attempt(root.headers, 'nobody')).rejects.toMatchObject({ status: 404 })
  })
})
