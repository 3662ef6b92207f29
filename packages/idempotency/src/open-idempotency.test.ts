import { randomUUID } from 'node:crypto'
import { openDatabase, sql } from '@platform/database'
import type { KeyedRequest } from '@platform/http'
import { TEST_INTERNAL_KEY, type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openIdempotency } from './index.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const open = () => openIdempotency({ database, pepper: TEST_INTERNAL_KEY })
const request = (changes: Partial<KeyedRequest> = {}): KeyedRequest => ({
  scope: 'workspaces:user:ada',
  key: randomUUID(),
  fingerprint: 'aa'.repeat(32),
  ...changes,
})
const soon = () => Date.now() + 60_000
const answer = { status: 201, headers: { etag: '"1"' }, body: '{"a":"é"}' }

async function begun(keyed: KeyedRequest): Promise<string> {
  const { store } = await open()
  const state = await store.begin(keyed, soon())
  if (state.state !== 'begun') throw new Error(`The key is ${state.state}.`)
  return state.owner
}

/** As if a request had been made this long ago. */
const age = (interval: string) =>
  database.many(sql`
    update idempotency.requests
    set created_at = created_at - ${interval}::interval, lease_until = lease_until - ${interval}::interval`)

test('the first request claims a key, and its answer is given to those who come later', async () => {
  const { store } = await open()
  const keyed = request()
  const owner = await begun(keyed)
  expect(await store.begin(keyed, soon())).toMatchObject({ state: 'running' })
  await store.keep(keyed, owner, answer, false)
  expect(await store.begin(keyed, soon())).toEqual({ state: 'answered', answer, secret: false })
})

test('another body, another caller and another key are told apart', async () => {
  const { store } = await open()
  const keyed = request()
  await begun(keyed)
  expect(await store.begin({ ...keyed, fingerprint: 'bb'.repeat(32) }, soon())).toEqual({
    state: 'other-request',
  })
  await begun({ ...keyed, scope: 'workspaces:user:eve' })
  await begun({ ...keyed, key: randomUUID() })
})

test('of fifty requests at once on two connections exactly one begins', async () => {
  await using second = await openDatabase(database.url, { allowWeakDurability: true })
  const stores = [
    (await open()).store,
    (await openIdempotency({ database: second, pepper: TEST_INTERNAL_KEY })).store,
  ]
  const keyed = request()
  const states = await Promise.all(
    Array.from({ length: 50 }, (_, at) => stores[at % 2]?.begin(keyed, soon())),
  )
  expect(states.filter((one) => one?.state === 'begun')).toHaveLength(1)
  expect(states.filter((one) => one?.state === 'running')).toHaveLength(49)
})

test('a request that was refused gives its key back', async () => {
  const { store } = await open()
  const keyed = request()
  await store.release(keyed, await begun(keyed))
  await begun({ ...keyed, fingerprint: 'bb'.repeat(32) })
})

test('only its owner keeps, gives back or doubts a key', async () => {
  const { store } = await open()
  const keyed = request()
  await begun(keyed)
  const stranger = randomUUID()
  await store.keep(keyed, stranger, answer, false)
  await store.release(keyed, stranger)
  await store.doubt(keyed, stranger)
  expect(await store.begin(keyed, soon())).toMatchObject({ state: 'running' })
})

test('what was doubted, and what runs on after its lease, is never run again', async () => {
  const { store } = await open()
  const doubted = request()
  const killed = request()
  await store.doubt(doubted, await begun(doubted))
  expect(await store.begin(doubted, soon())).toMatchObject({ state: 'unknown' })
  const owner = await begun(killed)
  await age('2 minutes')
  expect(await store.begin(killed, soon())).toMatchObject({ state: 'unknown' })
  await store.keep(killed, owner, answer, false)
  expect(await store.begin(killed, soon())).toMatchObject({ state: 'answered' })
})

test('a lease is never shorter than the deadline of its request', async () => {
  const { store } = await open()
  const patient = request()
  const late = request()
  await store.begin(patient, Date.now() + 3_600_000)
  await store.begin(late, Date.now() - 60_000)
  await age('30 minutes')
  expect(await store.begin(patient, soon())).toMatchObject({ state: 'running' })
  expect(await store.begin(late, soon())).toMatchObject({ state: 'unknown' })
})

test('after 24 hours a key is new again, purged or not', async () => {
  const { store } = await open()
  const keyed = request()
  await store.keep(keyed, await begun(keyed), answer, false)
  await age('23 hours 59 minutes')
  expect(await store.begin(keyed, soon())).toMatchObject({ state: 'answered' })
  await age('2 minutes')
  await begun({ ...keyed, fingerprint: 'bb'.repeat(32) })
})

test('the purge removes what is older than 24 hours in batches, and nothing else', async () => {
  await database.many(sql`delete from idempotency.requests`)
  await database.many(sql`
    insert into idempotency.requests (id, fingerprint, owner, lease_until, created_at)
    select sha256(n::text::bytea), 'x', gen_random_uuid(), now(), now() - interval '25 hours'
    from generate_series(1, 1201) as n`)
  const young = request()
  await begun(young)
  const [job] = (await open()).jobs
  await job?.run(new AbortController().signal)
  const [left] = await database.many(sql`select count(*)::int as count from idempotency.requests`)
  expect(left).toEqual({ count: 1 })
  expect(await (await open()).store.begin(young, soon())).toMatchObject({ state: 'running' })
})

test('the table holds neither keys nor callers', async () => {
  const keyed = request({ key: 'a-key-that-tells-something', scope: 'workspaces:user:ada-lovelace' })
  await begun(keyed)
  const rows = JSON.stringify(await database.many(sql`select r::text from idempotency.requests as r`))
  expect(rows).not.toContain('tells-something')
  expect(rows).not.toContain('lovelace')
})

test('no body can be guessed from the table, not even where its key can', async () => {
  const keyed = request({ key: '1', scope: 'api-gateway:address:192.0.2.1' })
  await begun(keyed)
  const rows = await database.many(
    sql`select encode(fingerprint, 'hex') as fingerprint from idempotency.requests`,
  )
  expect(rows).not.toContainEqual({ fingerprint: keyed.fingerprint })
  const elsewhere = await openIdempotency({ database, pepper: 'another secret' })
  expect(await elsewhere.store.begin(keyed, soon())).toEqual({ state: 'other-request' })
})
