import { sql } from '@platform/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { somebody } from '../../test/accounts.ts'
import { startIdentity, type TestIdentity } from '../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity({ env: { ACCOUNT_VALIDATION_METHOD: 'auto', TRUSTED_PROXY_HOPS: '1' } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

let keys = 0
const newKey = () => `sign-up-${++keys}`

async function signUp(key: string, person: object, address = '192.0.2.1') {
  const answer = await fetch(`${gateway.url}/v2/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, 'x-forwarded-for': address },
    body: JSON.stringify(person),
  })
  const text = await answer.text()
  return { status: answer.status, text, body: JSON.parse(text), headers: answer.headers }
}

test('signing up again with the same key is answered as before, and one account is made', async () => {
  const [key, person] = [newKey(), somebody()]
  const first = await signUp(key, person)
  const again = await signUp(key, person)
  expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([200, null])
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  // Without it the address is simply taken.
  expect((await signUp(newKey(), person)).body.error).toBe('AlreadyUsed')
})

test('another body under the key is refused, a refused one gives the key back', async () => {
  const [key, person] = [newKey(), somebody()]
  expect((await signUp(key, { ...person, password: 'short' })).status).toBe(400)
  expect((await signUp(key, person)).status).toBe(200)
  const other = await signUp(key, { ...person, password: 'another password' })
  expect([other.status, other.body.error]).toEqual([422, 'IdempotencyKeyReused'])
})

test('keys of people without a credential belong to their address', async () => {
  const key = newKey()
  const [ada, eve] = [somebody(), somebody()]
  expect((await signUp(key, ada)).body.email).toBe(ada.email)
  expect((await signUp(key, eve, '192.0.2.2')).body.email).toBe(eve.email)
  // What was answered to one is not shown to another who knows the key and all of the body.
  expect((await signUp(key, ada, '192.0.2.3')).body.error).toBe('AlreadyUsed')
})

test('a key that can not be one is 400 and makes nothing', async () => {
  const person = somebody()
  const refused = await signUp('x'.repeat(256), person)
  expect([refused.status, refused.body.details[0].path]).toEqual([400, 'headers.idempotency-key'])
  const rows = await gateway.database.many(sql`select 1 from gateway.users where email = ${person.email}`)
  expect(rows).toEqual([])
})

test('the password is in no kept answer', async () => {
  const person = somebody({ password: 'a password to look for' })
  await signUp(newKey(), person)
  const rows = await gateway.database.many(sql`select kept::text as kept from idempotency.requests as kept`)
  expect(JSON.stringify(rows)).toContain(person.email)
  expect(JSON.stringify(rows)).not.toContain('to look for')
})
