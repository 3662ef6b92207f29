import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runtimeDatabaseUrl, startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

const idempotent = { endpoint: { path: 'orders/:id', idempotent: true } }

let one: TestRuntime
let two: TestRuntime
let shop: TestWorkspace

beforeAll(async () => {
  const databaseUrl = await runtimeDatabaseUrl()
  one = await startRuntime({ databaseUrl })
  two = await startRuntime({ databaseUrl })
  const done = { emit: { event: 'done', payload: { at: '{{run.date}}' } } }
  const counted = { set: { name: 'global.count', value: '{% {{global.count}} + 1 %}' } }
  shop = await one.workspace({
    order: {
      when: idempotent,
      do: [done, counted],
      output: { count: '{{global.count}}', key: '{{pathParams.id}}' },
    },
    plain: { when: { endpoint: true }, do: [done], output: 'ran' },
    bySlug: { when: { endpoint: { idempotent: true } }, do: [done], output: 'ran' },
    fails: { when: { endpoint: { idempotent: true } }, do: [done, { 'not there': {} }] },
  })
})
afterAll(async () => {
  await two[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
})

async function send(path: string, key: string | undefined, body: unknown = {}, runtime = one) {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  const response = await runtime.call(shop.id, path, { method: 'POST', headers, body: JSON.stringify(body) })
  const isReplayed = response.headers.get('idempotency-replayed') === 'true'
  return { status: response.status, isReplayed, body: (await response.json()) as Record<string, unknown> }
}

const countDone = async () => (await one.events(shop.id, 'done')).length

describe('a URL trigger that says it is idempotent', () => {
  test('runs once for a key, and answers the same again, on every instance', async () => {
    const [key, before] = [randomUUID(), await countDone()]
    const first = await send('orders/a', key, { n: 1 })
    expect(first).toMatchObject({ status: 200, isReplayed: false, body: { key: 'a' } })
    const again = [await send('orders/a', key, { n: 1 }), await send('orders/a', key, { n: 1 }, two)]
    for (const replay of again) expect(replay).toEqual({ ...first, isReplayed: true })
    expect((await countDone()) - before).toBe(1)
  })

  test('runs once for calls at the same time', async () => {
    const [key, before] = [randomUUID(), await countDone()]
    const calls = Array.from({ length: 10 }, (_, at) => send('bySlug', key, {}, at % 2 === 0 ? one : two))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
    expect((await countDone()) - before).toBe(1)
  })

  test('refuses the key for another body or another URL', async () => {
    const key = randomUUID()
    await send('orders/a', key, { n: 1 })
    for (const other of [await send('orders/a', key, { n: 2 }), await send('orders/b', key, { n: 1 })])
      expect(other).toMatchObject({ status: 422, body: { error: 'IdempotencyKeyReused' } })
  })

  test('runs for every call without a key, and with another one', async () => {
    const before = await countDone()
    for (const key of [undefined, undefined, randomUUID(), randomUUID()]) await send('orders/a', key)
    expect((await countDone()) - before).toBe(4)
  })

  test('does not do the work of a failed run twice', async () => {
    const [key, before] = [randomUUID(), await countDone()]
    const first = await send('fails', key)
    expect(first).toMatchObject({
      status: 400,
      isReplayed: false,
      body: { error: 'InvalidInstructionError' },
    })
    expect(await send('fails', key)).toEqual({ ...first, isReplayed: true })
    expect((await countDone()) - before).toBe(1)
  })

  test('gives a key back when the body could not be read', async () => {
    const key = randomUUID()
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const broken = await one.call(shop.id, 'bySlug', { method: 'POST', headers, body: '{' })
    expect(broken.status).toBe(400)
    expect(await send('bySlug', key)).toMatchObject({ status: 200, isReplayed: false })
  })
})

test('a URL trigger that says nothing runs each time, and passes the key on', async () => {
  const [key, before] = [randomUUID(), await countDone()]
  for (const _ of [1, 2]) expect(await send('plain', key)).toMatchObject({ status: 200, isReplayed: false })
  expect((await countDone()) - before).toBe(2)
})
