import { createAccessToken, createAnonymousSession } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { emailOf, find, patch, startPeople } from '../../test/people.ts'
import type { SignedIn } from '../../test/signed-in.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
let root: SignedIn
let ada: SignedIn
let eve: SignedIn
beforeAll(async () => {
  gateway = await startIdentity()
  ;({ root, ada } = await startPeople(gateway))
  eve = await gateway.signIn()
  await patch(gateway, root, eve.userId, { firstName: 'Zoë', lastName: 'Ng' })
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('POST /v2/contacts as anybody', () => {
  test('finds a person by the exact address, whatever its case, without status, role or dates', async () => {
    const found = await find(gateway, ada, { email: emailOf(eve).toUpperCase() })
    expect(found).toEqual({
      size: 1,
      contacts: [{ id: eve.userId, firstName: 'Zoë', lastName: 'Ng', email: emailOf(eve) }],
    })
  })

  test('finds people by ids, without their addresses', async () => {
    const found = await find(gateway, ada, { ids: [eve.userId, 'nobody'] })
    expect(found).toEqual({ size: 1, contacts: [{ id: eve.userId, firstName: 'Zoë', lastName: 'Ng' }] })
  })

  test('a part of an address, or another one, finds nobody', async () => {
    for (const email of ['e@example.com', emailOf(eve).replace('.com', '.co'), `%${emailOf(eve)}`])
      expect(await find(gateway, ada, { email })).toEqual({ size: 0, contacts: [] })
  })

  test('people who wait or are deactivated, and visitors, are not there', async () => {
    const gone = await gateway.signIn()
    await patch(gateway, root, gone.userId, { status: 'deactivated' })
    const visitor = await gateway.client()(createAnonymousSession)
    const ids = [gone.userId, visitor.userId]
    expect(await find(gateway, ada, { ids })).toEqual({ size: 0, contacts: [] })
  })

  test.each([
    { text: 'zoë' },
    { firstName: 'Zoë' },
    { status: 'validated' as const },
    { platformRole: 'superAdmin' },
    { authProvider: 'prismeai' },
    { email: 'x@example.com', text: 'x' },
    {},
  ])('may not search with %j', async (body) => {
    await expect(find(gateway, ada, body)).rejects.toMatchObject({ name: 'ForbiddenError' })
  })

  test('an access token may ask too, a visitor and nobody may not', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    const body = { ids: [eve.userId] }
    const asToken = { headers: { authorization: `Bearer ${token}` } }
    expect((await find(gateway, asToken, body)).size).toBe(1)
    const visitor = await gateway.client()(createAnonymousSession)
    const asVisitor = { headers: { authorization: `Bearer ${visitor.token}` } }
    await expect(find(gateway, asVisitor, body)).rejects.toMatchObject({ status: 403 })
    await expect(find(gateway, { headers: {} }, body)).rejects.toMatchObject({ status: 401 })
  })

  test.each([{ ids: Array.from({ length: 101 }, String) }, { email: 'x' }, { unknown: 1 }, { ids: 'x' }])(
    'refuses a body that is none',
    async (body) => {
      await expect(find(gateway, ada, body as never)).rejects.toMatchObject({
        name: 'RequestValidationError',
      })
    },
  )
})

describe('POST /v2/contacts as a super administrator', () => {
  test.each([{ text: 'OË n' }, { firstName: 'zoë' }, { lastName: 'Ng' }])('finds by %j', async (body) => {
    const found = await find(gateway, root, body)
    expect(found.contacts).toMatchObject([{ id: eve.userId, status: 'validated', email: emailOf(eve) }])
  })

  test.each(['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999-23:59'])(
    'refuses an instant no store can keep: %s',
    async (instant) => {
      for (const name of ['createdBefore', 'createdAfter']) {
        const refused = await fetch(`${gateway.url}/v2/contacts?${name}=${instant}`, {
          method: 'POST',
          headers: { ...root.headers, 'content-type': 'application/json' },
          body: '{"text":"a"}',
        })
        expect(refused.status).toBe(400)
      }
    },
  )

  test('takes every offset an instant may be written with', async () => {
    const created = encodeURIComponent('1104-12-21T21:04:46.0+18:45')
    const answer = await fetch(`${gateway.url}/v2/contacts?createdBefore=${created}`, {
      method: 'POST',
      headers: { ...root.headers, 'content-type': 'application/json' },
      body: '{"text":"a"}',
    })
    expect([answer.status, await answer.json()]).toEqual([200, { size: 0, contacts: [] }])
  })

  test('wildcards are letters', async () => {
    for (const text of ['%', '_o', '\\']) expect((await find(gateway, root, { text })).size).toBe(0)
  })

  test('finds by status, role and provider, a page at a time', async () => {
    const roles = await find(gateway, root, { platformRole: 'superAdmin' })
    expect(roles.contacts.map(({ id }) => id)).toContain(root.userId)
    expect((await find(gateway, root, { authProvider: 'nobody' })).size).toBe(0)
    expect((await find(gateway, root, { platformRole: 'other' })).size).toBe(0)
    const response = await fetch(
      `${gateway.url}/v2/contacts?page=1&limit=1&createdAfter=2020-01-01T00:00:00Z`,
      {
        method: 'POST',
        headers: { ...root.headers, 'content-type': 'application/json' },
        body: '{"status":"validated"}',
      },
    )
    const page = (await response.json()) as { size: number; contacts: unknown[] }
    expect(page.contacts).toHaveLength(1)
    expect(page.size).toBeGreaterThan(2)
  })

  test('shows no password', async () => {
    const rows = await gateway.database.many<{ hash: string }>(
      sql`select password_hash as hash from gateway.users where password_hash is not null`,
    )
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(await find(gateway, root, {}))).not.toMatch(/argon2|hash/i)
  })

  test(
    'answers as many look-ups a minute as RATE_LIMIT_CONTACTS says to whoever is no super ' + 'administrator',
    async () => {
      await using limited = await startIdentity({
        env: { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_CONTACTS: '3' },
      })
      const [guesser, admin] = [await limited.signIn(), await limited.signIn({ superAdmin: true })]
      const ask = ({ headers }: SignedIn) =>
        fetch(`${limited.url}/v2/contacts`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: '{"email":"somebody@example.com"}',
        })
      const answers = []
      // A minute may end meanwhile, and the next one begins anew.
      for (let asked = 0; asked < 8; asked += 1) answers.push(await ask(guesser))
      const refused = answers.find(({ status }) => status === 429)
      expect(refused?.headers.get('x-ratelimit-limit')).toBe('3')
      for (let asked = 0; asked < 8; asked += 1) expect((await ask(admin)).status).toBe(200)
    },
  )
})
