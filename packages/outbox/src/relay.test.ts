import { type Broker, openBroker } from '@platform/broker'
import { type EventRecord, event } from '@platform/contracts'
import { type Database, openDatabase, sql } from '@platform/database'
import { rounds, type TestDatabase, testDatabase } from '@platform/testing'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { findNatsServer, NatsServer } from '../test/testing.ts'
import { type AnnouncedEvent, onAnnouncedEvent } from './announced.ts'
import { buildRecord } from './event-record.ts'
import { type Outbox, openOutbox } from './outbox.ts'

const SOON = { timeout: 15_000, interval: 20 }
const log = { info: () => {}, warn: () => {}, error: () => {} }
const program = findNatsServer()
if (program === undefined) {
  if (process.env.REQUIRE_SERVERS === '1')
    throw new Error('NATS_SERVER must name the program of a NATS server.')
  console.warn(
    'SKIPPED: the relay; put nats-server on the path or set NATS_SERVER=/path/to/nats-server to test it.',
  )
}

const thingsChanged = event({
  type: 'things.changed',
  emittedWhen: 'Things change.',
  payload: z.object({ text: z.string() }),
  everyInstance: true,
})
const workspaceId = 'w1'
const numbered = (from: number, count: number): EventRecord[] =>
  Array.from({ length: count }, (_, index) =>
    buildRecord({ type: 'order.created', payload: { number: from + index }, source: { workspaceId } }),
  )
const numbersOf = (events: EventRecord[]) =>
  events.map(({ payload }) => (payload as { number: number }).number)
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

/** A platform of one process on a NATS server of its own. */
interface Rig extends AsyncDisposable {
  server: NatsServer
  database: TestDatabase
  broker: Broker
  outbox: Outbox & AsyncDisposable
}

async function openRig(): Promise<Rig> {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await NatsServer.start(program ?? ''))
  const database = stack.use(await testDatabase())
  const { broker, outbox } = await openInstance(stack, server, database)
  return { server, database, broker, outbox, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

async function openInstance(stack: AsyncDisposableStack, server: NatsServer, database: Database) {
  const broker = stack.use(await openBroker(server.url, { database, log }))
  const outbox = stack.use(await openOutbox({ database, broker, log }))
  return { broker, outbox }
}

const watermark = async (database: Database) => {
  const [row] = await database.many<{ passed: number }>(sql`
    select count(*)::int as passed from outbox.events e, outbox.consumers c
    where c.name = 'relay' and (e.xid, e.position) <= (c.xid, c.position)`)
  return row?.passed
}

describe.skipIf(program === undefined)('the relay', () => {
  it('moves committed events to the stream, in order and each once', async () => {
    await using rig = await openRig()
    const handled: EventRecord[] = []
    await using _consumer = await rig.broker.queue.consume(
      'group',
      async (events) => void handled.push(...events),
    )
    for (let from = 0; from < 1000; from += 100) await rig.outbox.commit(numbered(from, 100))
    await vi.waitFor(() => expect(handled).toHaveLength(1000), SOON)
    expect(numbersOf(handled)).toEqual(upTo(1000))
  })

  it('remembers how far all groups have come, so that the log may let go of it', async () => {
    await using rig = await openRig()
    await rig.outbox.commit(numbered(0, 10))
    await using _fast = await rig.broker.queue.consume('fast', async () => {})
    const begun = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    await using _slow = await rig.broker.queue.consume('slow', async () => {
      begun.resolve()
      await mayEnd.promise
    })
    await begun.promise
    await new Promise((resolve) => setTimeout(resolve, 2500))
    expect(await watermark(rig.database)).toBe(0)
    mayEnd.resolve()
    await vi.waitFor(async () => expect(await watermark(rig.database)).toBe(10), SOON)
  })

  it('announces events of contracts with everyInstance', async () => {
    await using rig = await openRig()
    const heard: AnnouncedEvent[] = []
    await using _listener = await onAnnouncedEvent(rig.broker, thingsChanged.type, (announced) =>
      heard.push(announced),
    )
    await rig.database.transaction((tx) =>
      rig.outbox.add(tx, thingsChanged, { text: 'new' }, { workspaceId }),
    )
    await rig.database.transaction((tx) => rig.outbox.add(tx, thingsChanged, { text: 'x'.repeat(6000) }, {}))
    const expected = [
      { type: 'things.changed', workspaceId, payload: { text: 'new' } },
      { type: 'things.changed', workspaceId: undefined, payload: undefined },
    ]
    await vi.waitFor(() => expect(heard).toEqual(expected), SOON)
  })

  it('loses nothing when the server is killed and wiped while a group is consuming', async () => {
    await using rig = await openRig()
    const handled = new Map<string, number>()
    let wiped: Promise<void> | undefined
    await using _consumer = await rig.broker.queue.consume(
      'group',
      async (events) => {
        for (const { id, payload } of events) handled.set(id, (payload as { number: number }).number)
        if (handled.size < 200) return
        wiped ??= (async () => {
          await rig.server.kill()
          rig.server.wipe()
          await rig.server.start()
        })()
        await wiped
      },
      { maxBatch: 50 },
    )
    await using _late = await rig.broker.queue.consume('other', async () => {})
    for (let from = 0; from < 1000; from += 50) await rig.outbox.commit(numbered(from, 50))
    await vi.waitFor(() => expect(handled.size).toBe(1000), SOON)
    expect([...handled.values()].sort((a, b) => a - b)).toEqual(upTo(1000))
    await rig.outbox.commit(numbered(1000, 5))
    await vi.waitFor(() => expect(handled.size).toBe(1005), SOON)
  })

  it('fills a wiped stream again for groups that were not there meanwhile', async () => {
    await using rig = await openRig()
    const first: EventRecord[] = []
    const consumer = await rig.broker.queue.consume('group', async (events) => void first.push(...events))
    await rig.outbox.commit(numbered(0, 10))
    await vi.waitFor(() => expect(first).toHaveLength(10), SOON)
    await consumer[Symbol.asyncDispose]()
    await rig.outbox.commit(numbered(10, 10))
    await rig.server.kill()
    rig.server.wipe()
    await rig.outbox.commit(numbered(20, 10))
    await rig.server.start()
    const second: EventRecord[] = []
    await using _again = await rig.broker.queue.consume(
      'group',
      async (events) => void second.push(...events),
    )
    await vi.waitFor(() => expect(new Set(numbersOf([...first, ...second])).size).toBe(30), SOON)
    expect(numbersOf(second).slice(-20)).toEqual(upTo(30).slice(10))
  })

  it('goes on where it was when the server comes back with its data', async () => {
    await using rig = await openRig()
    const handled: EventRecord[] = []
    await using _consumer = await rig.broker.queue.consume(
      'group',
      async (events) => void handled.push(...events),
    )
    await rig.outbox.commit(numbered(0, 20))
    await vi.waitFor(() => expect(handled).toHaveLength(20), SOON)
    await rig.server.kill()
    await rig.outbox.commit(numbered(20, 20))
    await rig.server.start()
    await rig.outbox.commit(numbered(40, 20))
    await vi.waitFor(() => expect(handled).toHaveLength(60), SOON)
    expect(numbersOf(handled)).toEqual(upTo(60))
  })

  it('accepts events while the server is frozen and delivers them within seconds after', async () => {
    await using rig = await openRig()
    const handled: EventRecord[] = []
    await using _consumer = await rig.broker.queue.consume(
      'group',
      async (events) => void handled.push(...events),
    )
    await rig.outbox.commit(numbered(0, 5))
    await vi.waitFor(() => expect(handled).toHaveLength(5), SOON)
    rig.server.freeze()
    const startedAt = performance.now()
    await rig.outbox.commit(numbered(5, 5))
    await expect(rig.broker.ping(AbortSignal.timeout(2000))).rejects.toMatchObject({ name: 'BrokerError' })
    expect(performance.now() - startedAt).toBePrompt(3000)
    await new Promise((resolve) => setTimeout(resolve, rounds(500, 5000)))
    rig.server.thaw()
    const thawedAt = performance.now()
    await vi.waitFor(() => expect(new Set(numbersOf(handled)).size).toBe(10), SOON)
    expect(performance.now() - thawedAt).toBePrompt(6000)
    expect(numbersOf(handled)).toEqual(upTo(10))
  })

  it('gives up an event that is too large for the server, and nothing else', async () => {
    await using rig = await openRig()
    const { database, broker } = rig
    await using unlimited = await openOutbox({ database, broker, log, maxLength: 10_000_000 })
    const handled: EventRecord[] = []
    await using _consumer = await broker.queue.consume(
      'group',
      async (events) => void handled.push(...events),
    )
    const [large] = numbered(-1, 1)
    if (large === undefined) throw new Error('There must be an event.')
    const payload = { text: 'x'.repeat(1_200_000) }
    await unlimited.commit([...numbered(0, 3), { ...large, payload }, ...numbered(3, 3)])
    await vi.waitFor(() => expect(numbersOf(handled)).toEqual(upTo(6)), SOON)
    const letters = await database.many(
      sql`select event_id as id from outbox.dead_letters where group_name = 'relay'`,
    )
    expect(letters).toEqual([{ id: large.id }])
  })

  it.each(['kill', 'freeze'] as const)('closes within seconds after a %s of the server', async (fault) => {
    await using rig = await openRig()
    await using _consumer = await rig.broker.queue.consume('group', async () => {})
    await rig.outbox.commit(numbered(0, 5))
    await rig.server[fault]()
    await rig.outbox.commit(numbered(5, 5))
    const startedAt = performance.now()
    await rig.outbox[Symbol.asyncDispose]()
    await rig.broker[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBePrompt(6000)
  })

  it('is taken over by another process, which neither repeats nor skips', async () => {
    await using rig = await openRig()
    await using stack = new AsyncDisposableStack()
    const handled: EventRecord[] = []
    await using _consumer = await rig.broker.queue.consume(
      'group',
      async (events) => void handled.push(...events),
    )
    const secondDatabase = stack.use(await openDatabase(rig.database.url, { allowWeakDurability: true }))
    const { outbox } = await openInstance(stack, rig.server, secondDatabase)
    for (let from = 0; from < 100; from += 10) await outbox.commit(numbered(from, 10))
    await vi.waitFor(() => expect(handled.length).toBeGreaterThan(0), SOON)
    await rig.outbox[Symbol.asyncDispose]()
    for (let from = 100; from < 200; from += 10) await outbox.commit(numbered(from, 10))
    await vi.waitFor(() => expect(handled).toHaveLength(200), SOON)
    expect(numbersOf(handled)).toEqual(upTo(200))
  })
})
