import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { identityHeaders } from '@platform/auth'
import { endpoint } from '@platform/contracts'
import { type Database, openDatabase, sql } from '@platform/database'
import { createApp, createHardenedServer, respond, route, serviceListener } from '@platform/http'
import { Failure, StoreError } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { TEST_INTERNAL_KEY, type TestDatabase, testDatabase, userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openIdempotency } from './index.ts'

const makeThing = endpoint({
  id: 'makeThing',
  summary: 'Makes a thing.',
  service: 'workspaces',
  credential: 'required',
  method: 'post',
  path: '/v2/workspaces/:workspaceId/things',
  body: z.strictObject({ name: z.string() }),
  response: z.object({ number: z.number(), name: z.string(), secret: z.string().optional() }),
  status: 201,
  idempotent: 'answer',
  failures: [],
})
const makeSecret = endpoint({
  ...makeThing,
  id: 'makeSecret',
  path: '/v2/workspaces/:workspaceId/secrets',
  idempotent: 'secret',
})

/** What the handlers of all instances have done, and what they do next. */
const world = {
  made: 0,
  isMember: true,
  work: async (): Promise<void> => undefined,
}
const admit = async () => {
  if (!world.isMember) throw new Failure('ObjectNotFoundError', 'There is no such workspace.')
}
const make = async (name: string) => {
  world.made += 1
  const number = world.made
  await world.work()
  return { number, name }
}

async function startInstance(database: Database) {
  const { store } = await openIdempotency({ database, pepper: TEST_INTERNAL_KEY })
  const routes = [
    route(makeThing, {
      admit,
      handle: async ({ body }) =>
        respond(await make(body.name), { headers: { etag: '"1"', 'set-cookie': 'a=b' } }),
    }),
    route(makeSecret, {
      admit,
      handle: async ({ body }) =>
        respond({ ...(await make(body.name)), secret: 'hunter2' }, { createdId: `record-${world.made}` }),
    }),
  ]
  const log = createLogger({ level: 'silent' })
  const app = createApp(routes, [], { idempotency: store })
  const listener = serviceListener({ service: 'workspaces', internalApiKey: TEST_INTERNAL_KEY, log }, app)
  const server = createHardenedServer(listener, { keepAliveTimeoutMs: 5000, maxConnections: 1000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

let database: TestDatabase
let second: Database
let instances: Awaited<ReturnType<typeof startInstance>>[]
beforeAll(async () => {
  database = await testDatabase()
  second = await openDatabase(database.url, { allowWeakDurability: true })
  instances = [await startInstance(database), await startInstance(second)]
})
afterAll(async () => {
  for (const { server } of instances) server.close().closeAllConnections()
  await second[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

let keys = 0
const newKey = () => `key-${++keys}`
interface Ask {
  key?: string
  name?: string
  instance?: number
  path?: string
  userId?: string
  headers?: Record<string, string>
}

async function ask({ key, name = 'a', instance = 0, path = 'things', userId = 'ada', headers = {} }: Ask) {
  world.work = world.work ?? (async () => undefined)
  const identity = identityHeaders(userPrincipal({ userId }))
  const response = await fetch(`${instances[instance]?.url}/v2/workspaces/w/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-platform-internal-key': TEST_INTERNAL_KEY,
      'x-platform-client-ip': '127.0.0.1',
      ...Object.fromEntries(
        identity.flatMap((text, at) => (at % 2 === 0 ? [[text, identity[at + 1] ?? '']] : [])),
      ),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...headers,
    },
    body: JSON.stringify({ name }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
}

/** What the handler does until the end of a test. */
function working(work: () => Promise<void>): Disposable {
  world.work = work
  return {
    [Symbol.dispose]: () => {
      world.work = async () => undefined
    },
  }
}

test('the same request again is answered alike by every instance, and done once', async () => {
  const key = newKey()
  const before = world.made
  const first = await ask({ key })
  expect(first.status).toBe(201)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  for (const instance of [0, 1]) {
    const again = await ask({ key, instance })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.headers.get('etag')).toBe('"1"')
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'))
    expect(again.headers.get('set-cookie')).toBeNull()
  }
  expect(world.made - before).toBe(1)
})

test('without the header every request is done', async () => {
  const before = world.made
  await ask({})
  await ask({})
  expect(world.made - before).toBe(2)
})

test('of fifty at once on two instances one is done; the others wait or get its answer', async () => {
  const key = newKey()
  const before = world.made
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => ask({ key, instance: at % 2 })))
  expect(world.made - before).toBe(1)
  for (const { status, json, headers } of answers) {
    if (status === 201) continue
    expect([status, json.error]).toEqual([409, 'IdempotencyKeyInUse'])
    expect(headers.get('retry-after')).toBe('1')
  }
  expect(
    answers.filter((one) => one.status === 201 && !one.headers.has('idempotency-replayed')),
  ).toHaveLength(1)
})

test('another body under the key is 422, another caller has keys of their own', async () => {
  const key = newKey()
  const first = await ask({ key })
  const other = await ask({ key, name: 'b' })
  expect([other.status, other.json.error]).toEqual([422, 'IdempotencyKeyReused'])
  const query = await ask({ key, path: 'things?x=1' })
  expect(query.status).toBe(422)
  const stranger = await ask({ key, userId: 'eve' })
  expect(stranger.status).toBe(201)
  expect(stranger.json.number).not.toBe(first.json.number)
})

test.each(['', 'a b', 'é', 'x'.repeat(256), 'a, b'])('the key %j is 400 and nothing is done', async (key) => {
  const before = world.made
  const refused = await ask({ headers: { 'idempotency-key': Buffer.from(key).toString('latin1') } })
  expect([refused.status, refused.json.details[0].path]).toEqual([400, 'headers.idempotency-key'])
  expect(world.made).toBe(before)
})

test.each(['x', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', 'x'.repeat(255), '~!@'])(
  'the key %.40s is taken',
  async (key) => {
    expect((await ask({ key })).status).toBe(201)
    expect((await ask({ key })).headers.get('idempotency-replayed')).toBe('true')
  },
)

test('a secret is never shown twice: the replay names the record', async () => {
  const key = newKey()
  const first = await ask({ key, path: 'secrets' })
  expect(first.json.secret).toBe('hunter2')
  const again = await ask({ key, path: 'secrets', instance: 1 })
  expect([again.status, again.json.error]).toEqual([409, 'AlreadyCreated'])
  expect(again.json.details).toEqual({ _id: `record-${first.json.number}` })
  const rows = await database.many(sql`select r::text from idempotency.requests as r`)
  expect(JSON.stringify(rows)).not.toContain('hunter2')
})

test('who has lost access gets what everybody without it gets, not the kept answer', async () => {
  const key = newKey()
  await ask({ key })
  world.isMember = false
  try {
    expect((await ask({ key })).status).toBe(404)
  } finally {
    world.isMember = true
  }
  expect((await ask({ key })).headers.get('idempotency-replayed')).toBe('true')
})

test('a refusal gives the key back', async () => {
  const key = newKey()
  const refused = await ask({ key, headers: { 'content-type': 'text/plain' } })
  expect(refused.status).toBe(415)
  {
    using _ = working(() => Promise.reject(new Failure('AlreadyUsed', 'Taken.')))
    expect((await ask({ key })).status).toBe(409)
  }
  expect((await ask({ key, name: 'another' })).status).toBe(201)
})

test.each([
  ['an error', new Error('boom'), 500],
  ['a store that is down', new StoreError('gone', { unavailable: true }), 503],
  ['a client that is gone', new Failure('RequestTimeout', 'The client is gone.'), 408],
])('after %s nobody knows what was done: it is not done again', async (_, error, status) => {
  const key = newKey()
  {
    using _work = working(() => Promise.reject(error))
    expect((await ask({ key })).status).toBe(status)
  }
  const before = world.made
  const again = await ask({ key })
  expect([again.status, again.json.error]).toEqual([409, 'OutcomeUnknown'])
  expect(again.json.message).toContain('new key')
  expect(world.made).toBe(before)
})

test('while the first runs the second is told to ask again', async () => {
  const key = newKey()
  const { promise, resolve } = Promise.withResolvers<void>()
  const before = world.made
  using _ = working(() => promise)
  const first = ask({ key })
  await vi.waitFor(() => expect(world.made).toBe(before + 1))
  const waiting = await ask({ key, instance: 1 })
  expect([waiting.status, waiting.json.error]).toEqual([409, 'IdempotencyKeyInUse'])
  resolve()
  expect((await first).status).toBe(201)
})

test('an answer too large to be kept is not repeated, and not done again', async () => {
  const key = newKey()
  const name = 'x'.repeat(999_990)
  const before = world.made
  expect((await ask({ key, name: name.slice(0, 999_980) })).status).toBe(201)
  const again = await ask({ key, name: name.slice(0, 999_980) })
  expect([again.status, again.json.error]).toEqual([409, 'OutcomeUnknown'])
  expect(world.made - before).toBe(1)
})

test('while the database is down nothing runs: 503, and later the key is free', async () => {
  const third = await openDatabase(database.url, { allowWeakDurability: true })
  const instance = instances.push(await startInstance(third)) - 1
  const key = newKey()
  const before = world.made
  await third[Symbol.asyncDispose]()
  const refused = await ask({ key, instance })
  expect([refused.status, refused.json.error]).toEqual([503, 'ServiceUnavailable'])
  expect(world.made).toBe(before)
  expect((await ask({ key })).status).toBe(201)
})

test('a request that has waited for databases as long as it may is 503 at once, and changes nothing', async () => {
  const key = newKey()
  const before = world.made
  const startedAt = performance.now()
  const late = await ask({ key, headers: { 'x-platform-store-budget': '0' } })
  expect([late.status, late.json.error]).toEqual([503, 'ServiceUnavailable'])
  expect(performance.now() - startedAt).toBePrompt(2000)
  expect(world.made).toBe(before)
  expect((await ask({ key })).status).toBe(201)
})

test('an answer that could not be kept is given, and its request is not done again', async () => {
  const third = await openDatabase(database.url, { allowWeakDurability: true })
  const instance = instances.push(await startInstance(third)) - 1
  const key = newKey()
  const before = world.made
  {
    using _ = working(async () => third[Symbol.asyncDispose]())
    expect((await ask({ key, instance })).status).toBe(201)
  }
  const again = await ask({ key })
  expect([again.status, again.json.error]).toEqual([409, 'IdempotencyKeyInUse'])
  await database.many(sql`update idempotency.requests set lease_until = lease_until - interval '1 day'`)
  expect((await ask({ key })).json.error).toBe('OutcomeUnknown')
  expect(world.made - before).toBe(1)
})

test('without its table a key is not claimed', async () => {
  await using broken = await testDatabase()
  const { store } = await openIdempotency({ database: broken, pepper: TEST_INTERNAL_KEY })
  await broken.many(sql`drop table idempotency.requests`)
  await expect(store.begin({ scope: 's', key: 'k', fingerprint: 'aa' }, Date.now())).rejects.toThrow()
})

test('a claim costs one round trip and its answer another; without the header there is none', async () => {
  let trips = 0
  const counting: Database = {
    ...database,
    many(...call) {
      trips += 1
      return database.many(...call)
    },
  }
  const { store } = await openIdempotency({ database: counting, pepper: TEST_INTERNAL_KEY })
  const keyed = { scope: 's', key: newKey(), fingerprint: 'aa' }
  trips = 0
  const state = await store.begin(keyed, Date.now())
  if (state.state === 'begun')
    await store.keep(keyed, state.owner, { status: 200, headers: {}, body: '' }, false)
  expect(trips).toBe(2)
  await store.begin(keyed, Date.now())
  expect(trips).toBe(3)
})
