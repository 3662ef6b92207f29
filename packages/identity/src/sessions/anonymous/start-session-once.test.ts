import { createAnonymousSession } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startIdentity, type TestIdentity } from '../../../test/start-identity.ts'

let gateway: TestIdentity
beforeAll(async () => {
  gateway = await startIdentity({ env: { TRUSTED_PROXY_HOPS: '1' } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

async function start(key: string, address = '192.0.2.1', body = {}) {
  const answer = await fetch(`${gateway.url}${createAnonymousSession.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, 'x-forwarded-for': address },
    body: JSON.stringify(body),
  })
  const json = (await answer.json()) as Record<string, unknown>
  return { status: answer.status, body: json, headers: answer.headers }
}
const sessions = async () => {
  const [row] = await gateway.database.many<{ count: number }>(
    sql`select count(*)::int as count from gateway.sessions where anonymous`,
  )
  return row?.count ?? 0
}

test('asking again with the same key starts no further session, names the first and shows no token', async () => {
  const before = await sessions()
  const first = await start('a')
  const again = await start('a')
  expect(first.status).toBe(200)
  expect([again.status, again.body]).toEqual([
    409,
    {
      error: 'AlreadyCreated',
      message: expect.stringContaining(String(first.body.sessionId)),
      details: { _id: first.body.sessionId },
    },
  ])
  expect(again.headers.get('set-cookie')).toBeNull()
  expect(await sessions()).toBe(before + 1)
  const rows = await gateway.database.many(sql`select kept::text as kept from idempotency.requests as kept`)
  expect(JSON.stringify(rows)).not.toContain(first.body.token)
})

test('another body under the key is 422; another address has keys of its own', async () => {
  expect((await start('b')).status).toBe(200)
  expect((await start('b', '192.0.2.1', { expiresAfter: 60 })).status).toBe(422)
  expect((await start('b', '192.0.2.2')).status).toBe(200)
})
