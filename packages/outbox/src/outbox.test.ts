import { type Broker, insertEvents, openBroker, readRecords } from '@platform/broker'
import { type EventContract, type EventRecord, event } from '@platform/contracts'
import { openDatabase, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type AnnouncedEvent, onAnnouncedEvent } from './announced.ts'
import { buildRecord } from './event-record.ts'

import { type Outbox, openOutbox } from './outbox.ts'

const SOON = { timeout: 10_000, interval: 10 }
const log = { info: () => {}, warn: () => {}, error: () => {} }
const newWorkspace = () => `workspace-${uuidv7()}`
const record = (workspaceId: string, payload: unknown = {}) =>
  buildRecord({ type: 'order.created', payload, source: { workspaceId } })

const thingMade = event({
  type: 'things.made',
  emittedWhen: 'A thing is made.',
  payload: z.strictObject({ name: z.string() }),
})
const thingsChanged: EventContract = event({
  type: 'things.changed',
  emittedWhen: 'Things change.',
  payload: z.object({ text: z.string() }),
  everyInstance: true,
})

describe('the outbox', () => {
  const stack = new AsyncDisposableStack()
  let database: TestDatabase
  let broker: Broker
  let outbox: Outbox

  beforeAll(async () => {
    database = stack.use(await testDatabase())
    broker = stack.use(await openBroker('postgres:', { database, log }))
    outbox = stack.use(await openOutbox({ database, broker, log }))
  })
  afterAll(() => stack.disposeAsync())

  /** All that is delivered of one workspace. */
  async function deliveredOf(workspaceId: string) {
    const delivered: EventRecord[] = []
    const consumer = await broker.queue.consume(`group-${uuidv7()}`, async (events) => {
      delivered.push(...events.filter(({ source }) => source.workspaceId === workspaceId))
    })
    return { delivered, [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose]() }
  }

  it('delivers an event when the transaction that added it commits, as the record it answered', async () => {
    const workspaceId = newWorkspace()
    await using seen = await deliveredOf(workspaceId)
    const added = await database.transaction((tx) =>
      outbox.add(tx, thingMade, { name: 'chair' }, { workspaceId, host: { service: 'runtime' } }),
    )
    await vi.waitFor(() => expect(seen.delivered).toEqual([added]), SOON)
    expect(added).toMatchObject({
      type: 'things.made',
      payload: { name: 'chair' },
      source: { host: { service: 'runtime' } },
    })
  })

  it('delivers nothing of a transaction that fails', async () => {
    const workspaceId = newWorkspace()
    await using seen = await deliveredOf(workspaceId)
    const failing = database.transaction(async (tx) => {
      await outbox.add(tx, thingMade, { name: 'lost' }, { workspaceId })
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    await outbox.commit([record(workspaceId, { after: true })])
    await vi.waitFor(
      () => expect(seen.delivered.map(({ payload }) => payload)).toEqual([{ after: true }]),
      SOON,
    )
  })

  it('refuses a payload that is not the contract’s', async () => {
    const wrong = { name: 'x', more: 1 } as unknown as { name: string }
    await expect(database.transaction((tx) => outbox.add(tx, thingMade, wrong, {}))).rejects.toThrow()
  })

  it('leaves an id that is there already as it is', async () => {
    const workspaceId = newWorkspace()
    const first = record(workspaceId, { first: true })
    await outbox.commit([first, first])
    await database.transaction((tx) =>
      outbox.addRecords(tx, [{ ...first, payload: { second: true } }, record(workspaceId)]),
    )
    await using seen = await deliveredOf(workspaceId)
    await vi.waitFor(
      () => expect(seen.delivered.map(({ payload }) => payload)).toEqual([{ first: true }, {}]),
      SOON,
    )
  })

  it('commits for many callers at once, in order for each', async () => {
    const workspaceId = newWorkspace()
    await using seen = await deliveredOf(workspaceId)
    await Promise.all(
      Array.from({ length: 64 }, async (_, caller) => {
        for (let turn = 0; turn < 5; turn++) await outbox.commit([record(workspaceId, { caller, turn })])
      }),
    )
    await outbox.commit(
      Array.from({ length: 500 }, (_, turn) => record(workspaceId, { caller: 'large', turn })),
    )
    await vi.waitFor(() => expect(seen.delivered).toHaveLength(820), SOON)
    const turns = seen.delivered.filter(({ payload }) => (payload as { caller: unknown }).caller === 7)
    expect(turns.map(({ payload }) => (payload as { turn: number }).turn)).toEqual([0, 1, 2, 3, 4])
  })

  it('refuses a whole call that holds an event over the cap, and harms no other caller', async () => {
    const workspaceId = newWorkspace()
    await using seen = await deliveredOf(workspaceId)
    const large = record(workspaceId, { text: 'x'.repeat(100_000) })
    const [refused, kept] = await Promise.allSettled([
      outbox.commit([record(workspaceId, { beside: true }), large]),
      outbox.commit([record(workspaceId, { kept: true })]),
    ])
    expect(refused).toMatchObject({ status: 'rejected', reason: { name: 'EventTooLarge' } })
    expect(kept.status).toBe('fulfilled')
    await vi.waitFor(
      () => expect(seen.delivered.map(({ payload }) => payload)).toEqual([{ kept: true }]),
      SOON,
    )
  })

  it('takes its caps from the options', async () => {
    await using small = await openOutbox({ database, broker, log, maxLength: 50 })
    await expect(small.commit([record('w', { text: 'x'.repeat(50) })])).rejects.toMatchObject({
      details: { max: 50 },
    })
  })

  it('lets callers write events and their own rows in one statement', async () => {
    const workspaceId = newWorkspace()
    await using seen = await deliveredOf(workspaceId)
    await database.many(sql`create table things (name text)`)
    await database.many(sql`
      with things as (insert into things values ('table')), events as (${insertEvents([record(workspaceId)])})
      select 1`)
    await vi.waitFor(() => expect(seen.delivered).toHaveLength(1), SOON)
    expect(await database.many(sql`select name from things`)).toEqual([{ name: 'table' }])
  })

  it('wakes its readers without waiting for their next look', { retry: 3 }, async () => {
    const workspaceId = newWorkspace()
    await using seen = await deliveredOf(workspaceId)
    await outbox.commit([record(workspaceId)])
    await vi.waitFor(() => expect(seen.delivered).toHaveLength(1), SOON)
    // Long enough for every reader to have fallen back to looking twice a second.
    await new Promise((resolve) => setTimeout(resolve, 800))
    const startedAt = performance.now()
    await outbox.commit([record(workspaceId)])
    await vi.waitFor(() => expect(seen.delivered).toHaveLength(2), { timeout: 10_000, interval: 1 })
    expect(performance.now() - startedAt).toBePrompt(250)
  })

  it('never lets an event of a slow transaction be overtaken and missed', async () => {
    const workspaceId = newWorkspace()
    await using seen = await deliveredOf(workspaceId)
    await using other = await openDatabase(database.url, { allowWeakDurability: true })
    const written = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const slow = other.transaction(async (tx) => {
      await outbox.addRecords(tx, [record(workspaceId, { order: 'first' })])
      written.resolve()
      await mayCommit.promise
    })
    await written.promise
    await outbox.commit([record(workspaceId, { order: 'second' })])
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(seen.delivered).toEqual([])
    mayCommit.resolve()
    await slow
    await vi.waitFor(
      () =>
        expect(seen.delivered.map(({ payload }) => payload)).toEqual([
          { order: 'first' },
          { order: 'second' },
        ]),
      SOON,
    )
  })

  it('announces events of contracts with everyInstance when they are committed', async () => {
    const heard: AnnouncedEvent[] = []
    await using _listener = await onAnnouncedEvent(broker, thingsChanged.type, (announced) =>
      heard.push(announced),
    )
    const text = '"quoted" é\n'.repeat(20)
    await database.transaction((tx) => outbox.add(tx, thingsChanged, { text }, { workspaceId: 'w1' }))
    await database.transaction((tx) => outbox.add(tx, thingsChanged, { text: '"'.repeat(4000) }, {}))
    await vi.waitFor(
      () =>
        expect(heard).toEqual([
          { type: 'things.changed', workspaceId: 'w1', payload: { text } },
          { type: 'things.changed', workspaceId: undefined, payload: undefined },
        ]),
      SOON,
    )
  })

  it('refuses a native event whose payload is not what its contract says, and keeps nothing of its batch', async () => {
    const jwks = (payload: unknown) => buildRecord({ type: 'gateway.jwks.updated', payload, source: {} })
    const good = jwks({ created: [], deleted: [] })
    await expect(outbox.commit([good, jwks({ created: 'secret' })])).rejects.toThrow(
      'The payload of a "gateway.jwks.updated" does not keep its contract: created, deleted.',
    )
    await expect(database.transaction((tx) => outbox.addRecords(tx, [good, jwks(null)]))).rejects.toThrow(
      /contract: payload/,
    )
    expect(await readRecords(database, [good.id])).toEqual([])
  })

  it('commits an event whose id is known already once, and tells another one apart', async () => {
    const event = buildRecord({
      type: 'order.created',
      payload: { a: 1, b: [2] },
      source: { workspaceId: 'w1' },
    })
    const again = { ...event, payload: { b: [2], a: 1 }, createdAt: new Date(0).toISOString() }
    expect(await outbox.commitOnce([event])).toEqual([event])
    expect(await outbox.commitOnce([again])).toEqual([event])
    const fresh = buildRecord({ type: 'order.created', payload: {}, source: { workspaceId: 'w1' } })
    for (const other of [
      { ...event, payload: {} },
      { ...event, source: { workspaceId: 'w2' } },
    ])
      await expect(outbox.commitOnce([fresh, other])).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
    expect(await readRecords(database, [fresh.id])).toEqual([])
    expect(await outbox.commitOnce([])).toEqual([])
  })

  it('announces native types however they were committed', async () => {
    const heard: AnnouncedEvent[] = []
    await using _listener = await onAnnouncedEvent(broker, 'gateway.jwks.updated', (announced) =>
      heard.push(announced),
    )
    const payload = { created: ['a'], deleted: [] }
    await outbox.commit([buildRecord({ type: 'gateway.jwks.updated', payload, source: {} })])
    await vi.waitFor(
      () => expect(heard).toEqual([{ type: 'gateway.jwks.updated', workspaceId: undefined, payload }]),
      SOON,
    )
  })
})
