import { createAccessToken, deleteUser, getUser, requestDeletion } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { eventsOf, startWithMail, type WithMail } from '../../test/accounts.ts'
import { emailOf, startPeople, trailOf } from '../../test/people.ts'
import { me as askMe, refusedWithin } from '../../test/sessions.ts'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let world: WithMail
let gateway: TestIdentity
let other: TestIdentity
let root: SignedIn
beforeAll(async () => {
  world = await startWithMail()
  gateway = world.gateway
  other = await startIdentity({ databaseUrl: gateway.databaseUrl })
  ;({ root } = await startPeople(gateway))
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const remove = (headers: Record<string, string>, userId: string, token?: string) =>
  gateway.client(headers)(deleteUser, { params: { userId }, query: token === undefined ? {} : { token } })

async function withToken(who: SignedIn): Promise<SignedIn> {
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const { token } = await gateway.client(who.headers)(createAccessToken, { body: { name: 'ci', expiresAt } })
  return { ...who, headers: { authorization: `Bearer ${token}` } }
}

const rowsOf = async (userId: string) => {
  const [row] = await gateway.database.many<Record<string, string>>(sql`
    select (select count(*) from gateway.users where id = ${userId}) as users,
      (select count(*) from gateway.sessions where user_id = ${userId}) as sessions,
      (select count(*) from gateway.access_tokens where user_id = ${userId}) as tokens,
      (select count(*) from gateway.oidc_records where account_id = ${userId}) as records,
      (select count(*) from gateway.oidc_sign_ins where account_id = ${userId}) as sign_ins,
      (select count(*) from gateway.mailed_tokens where user_id = ${userId}) as links,
      (select count(*) from permissions.members where user_id = ${userId}) as members`)
  return Object.values(row ?? {}).map(Number)
}

describe('DELETE /v2/users/:userId', () => {
  test('by a super administrator: session and access token are 401 at every instance within a second', async () => {
    const eve = await gateway.signIn()
    const byToken = await withToken(eve)
    await gateway.database.many(sql`
      insert into gateway.oidc_records (model, id, payload, account_id)
      values ('Session', ${`s-${eve.userId}`}, '{}', ${eve.userId})`)
    await gateway.database.many(sql`
      insert into permissions.workspaces (id, slug, name) values (${`w-${eve.userId}`}, ${`w-${eve.userId}`}, 'W')`)
    await gateway.database.many(sql`
      insert into permissions.members (workspace_id, user_id, role)
      values (${`w-${eve.userId}`}, ${eve.userId}, 'owner')`)
    for (const at of [gateway, other])
      for (const who of [eve, byToken]) expect((await askMe(at, who)).id).toBe(eve.userId)

    expect(await remove(root.headers, eve.userId)).toEqual({ success: true })

    const started = performance.now()
    await Promise.all(
      [gateway, other].flatMap((at) => [eve, byToken].map((who) => refusedWithin(at, who, 1000))),
    )
    expect(performance.now() - started).toBePrompt(1000)
    expect(await rowsOf(eve.userId)).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(await trailOf(gateway, eve.userId)).toContain('account.deleted')
    const events = await eventsOf(gateway, 'gateway.users.deleted', eve.userId)
    expect(events).toMatchObject([{ payload: { userId: eve.userId } }])
    const gone = gateway.client(root.headers)(getUser, { params: { userId: eve.userId } })
    await expect(gone).rejects.toMatchObject({ status: 404 })
  })

  test('by its owner with the mailed link, once, and without signing in', async () => {
    const eve = await gateway.signIn()
    await gateway.client(eve.headers)(requestDeletion)
    const { token, url } = await world.mailTo(emailOf(eve))
    expect(url).toContain('/account/deletion?token=')
    await expect(remove({}, root.userId, token)).rejects.toMatchObject({ name: 'InvalidOrExpiredToken' })

    expect(await remove({}, eve.userId, token)).toEqual({ success: true })

    await refusedWithin(other, eve, 1000)
    await expect(remove({}, eve.userId, token)).rejects.toMatchObject({ name: 'InvalidOrExpiredToken' })
  })

  test('not by its owner without the link, nor by others', async () => {
    const [eve, bob] = [await gateway.signIn(), await gateway.signIn()]
    await expect(remove(eve.headers, eve.userId)).rejects.toMatchObject({ status: 403 })
    await expect(remove(bob.headers, eve.userId)).rejects.toMatchObject({ status: 403 })
    await expect(remove({}, eve.userId)).rejects.toMatchObject({ status: 401 })
    await expect(remove({}, eve.userId, 'x'.repeat(201))).rejects.toMatchObject({ status: 400 })
    await expect(remove(root.headers, 'nobody')).rejects.toMatchObject({ status: 404 })
  })

  test('of many who use one link at once, one deletes', async () => {
    const eve = await gateway.signIn()
    await gateway.client(eve.headers)(requestDeletion)
    const { token } = await world.mailTo(emailOf(eve))
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => remove({}, eve.userId, token)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('the last super administrator stays', async () => {
    await gateway.database.many(sql`update gateway.users set platform_role = null where id <> ${root.userId}`)
    await gateway.client(root.headers)(requestDeletion)
    const { token } = await world.mailTo(emailOf(root))
    await expect(remove({}, root.userId, token)).rejects.toMatchObject({
      name: 'ForbiddenError',
      message: expect.stringContaining('last super administrator'),
    })
    await vi.waitFor(async () => expect((await askMe(gateway, root)).platformRole).toBe('superAdmin'))
  })
})
