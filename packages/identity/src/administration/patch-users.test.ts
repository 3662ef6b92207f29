import { patchUsers } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf } from '../../test/accounts.ts'
import { emailOf, me, startPeople } from '../../test/people.ts'
import { refusedWithin, startTwoInstances, type TwoInstances } from '../../test/sessions.ts'
import type { TestIdentity } from '../../test/start-identity.ts'

let world: TwoInstances
let gateway: TestIdentity
let people: Awaited<ReturnType<typeof startPeople>>
beforeAll(async () => {
  world = await startTwoInstances()
  gateway = world.gateway
  people = await startPeople(gateway)
})
afterAll(() => world[Symbol.asyncDispose]())

const edit = (headers: Record<string, string>, body: Parameters<typeof bodyOf>[0]) =>
  gateway.client(headers)(patchUsers, { body: bodyOf(body) })
const bodyOf = (body: { ids?: string[]; emails?: string[]; data: object }) => ({
  query: body.ids === undefined ? { emails: body.emails ?? [] } : { ids: body.ids },
  data: body.data,
})

describe('PATCH /v2/users', () => {
  test('edits many at once and counts them', async () => {
    const many = await Promise.all(Array.from({ length: 5 }, () => gateway.signIn()))
    const ids = [...many.map(({ userId }) => userId), 'nobody']
    expect(await edit(people.root.headers, { ids, data: { lastName: 'Doe' } })).toEqual({
      requestedCount: 6,
      matchedCount: 5,
      modifiedCount: 5,
    })
    for (const one of many) expect((await me(gateway, one)).lastName).toBe('Doe')
    const events = await eventsOf(gateway, 'gateway.users.bulkUpdated', ids[0] ?? '')
    expect(events).toMatchObject([{ payload: { query: { ids }, result: { matchedCount: 5 } } }])
  })

  test('deactivates by address, everywhere within a second', async () => {
    const many = await Promise.all(Array.from({ length: 3 }, () => gateway.signIn()))
    for (const one of many) await me(world.other, one)
    const emails = many.map((one) => emailOf(one).toUpperCase())
    const result = await edit(people.root.headers, { emails, data: { status: 'deactivated' } })
    expect(result.modifiedCount).toBe(3)
    await Promise.all(many.map((one) => refusedWithin(world.other, one, 1000)))
  })

  test('a thousand at once are one change', { timeout: 60_000 }, async () => {
    const ids = Array.from({ length: 1000 }, () => uuidv7())
    await gateway.database.many(sql`
      insert into gateway.users (id, email, status)
      select id, id || '@example.com', 'validated' from unnest(${ids}::text[]) as id`)
    await gateway.database.many(sql`
      insert into gateway.sessions (id, user_id, client_id, anonymous, expires_at)
      select 's-' || id, id, 'console', false, now() + interval '1 hour' from unnest(${ids}::text[]) as id`)
    const started = performance.now()
    const result = await edit(people.root.headers, { ids, data: { status: 'deactivated' } })
    expect(result.modifiedCount).toBe(1000)
    expect(performance.now() - started).toBePrompt(10_000)
    const rows = await gateway.database.many(sql`
      select 1 from gateway.sessions where user_id = any(${ids}::text[]) and ended_at is null`)
    expect(rows).toEqual([])
  })

  test('all or none: when the last super administrator is among them nobody is changed', async () => {
    const eve = await gateway.signIn()
    const all = await gateway.database.many<{ id: string }>(
      sql`select id from gateway.users where platform_role = 'superAdmin'`,
    )
    const ids = [eve.userId, ...all.map(({ id }) => id)]
    const attempt = edit(people.root.headers, { ids, data: { status: 'deactivated' } })
    await expect(attempt).rejects.toMatchObject({ name: 'ForbiddenError' })
    expect((await me(gateway, eve)).status).toBe('validated')
  })

  test('an empty query changes nobody', async () => {
    await expect(edit(people.root.headers, { ids: [], data: { lastName: 'X' } })).rejects.toMatchObject({
      name: 'RequestValidationError',
    })
    await expect(
      edit(people.root.headers, { ids: ['x'], data: { email: 'x@example.com' } }),
    ).rejects.toMatchObject({ name: 'RequestValidationError' })
  })

  test('is for super administrators', async () => {
    const body = { ids: [people.ada.userId], data: { lastName: 'X' } }
    await expect(edit(people.ada.headers, body)).rejects.toMatchObject({ status: 403 })
    await expect(edit({}, body)).rejects.toMatchObject({ status: 401 })
    expect(await edit(people.root.headers, { ids: ['nobody'], data: {} })).toMatchObject({ matchedCount: 0 })
  })
})
