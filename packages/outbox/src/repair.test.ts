import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Broker, openBroker } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import { sql } from '@platform/database'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { connect, type JetStreamManager, RetentionPolicy, StorageType } from 'nats'
import { describe, expect, it, vi } from 'vitest'
import { findNatsServer, NatsServer } from '../test/testing.ts'
import { buildRecord } from './event-record.ts'
import { type Outbox, openOutbox } from './outbox.ts'

const SOON = { timeout: 15_000, interval: 20 }
const log = { info: () => {}, warn: () => {}, error: () => {} }
const program = findNatsServer()
if (program === undefined) {
  if (process.env.REQUIRE_SERVERS === '1')
    throw new Error('NATS_SERVER must name the program of a NATS server.')
  console.warn('SKIPPED: repairs of the stream; set NATS_SERVER=/path/to/nats-server to test them.')
}

const numbered = (from: number, count: number): EventRecord[] =>
  Array.from({ length: count }, (_, index) =>
    buildRecord({ type: 'order.created', payload: { number: from + index }, source: { workspaceId: 'w1' } }),
  )
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)
const STREAM = 'platform_events'

/** A platform on a NATS server of its own, a group that remembers what it was given, and the hand of an operator. */
interface Rig extends AsyncDisposable {
  server: NatsServer
  database: TestDatabase
  broker: Broker
  outbox: Outbox
  handled: number[]
  operator: JetStreamManager
}

async function openRig(): Promise<Rig> {
  const stack = new AsyncDisposableStack()
  const server = stack.use(await NatsServer.start(program ?? ''))
  const database = stack.use(await testDatabase())
  const broker = stack.use(await openBroker(server.url, { database, log }))
  const outbox = stack.use(await openOutbox({ database, broker, log }))
  const handled: number[] = []
  stack.use(
    await broker.queue.consume('group', async (events) => {
      for (const { payload } of events) handled.push((payload as { number: number }).number)
    }),
  )
  const { host } = new URL(server.url)
  const connection = await connect({ servers: host, user: 'user', pass: 'password' })
  stack.defer(() => connection.close())
  const operator = await connection.jetstreamManager()
  await outbox.commit(numbered(0, 20))
  await vi.waitFor(() => expect(handled).toHaveLength(20), SOON)
  return {
    server,
    database,
    broker,
    outbox,
    handled,
    operator,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** True while some process holds the lock of the relay. */
async function relays(database: TestDatabase): Promise<boolean> {
  const held = await database.many(sql`
    select 1 from pg_locks
    where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and (classid::bigint << 32) | objid::bigint = hashtextextended('outbox relay', 0)`)
  return held.length > 0
}

/** What an operator does, or a script gone wild. */
const mishaps: [string, (operator: JetStreamManager) => Promise<unknown>][] = [
  ['deletes the stream', (operator) => operator.streams.delete(STREAM)],
  ['empties the stream', (operator) => operator.streams.purge(STREAM)],
  [
    'lets the stream hold few events',
    (operator) => operator.streams.update(STREAM, { max_msgs: 25, max_age: 2e11 }),
  ],
  [
    'lets the stream listen to something else',
    (operator) => operator.streams.update(STREAM, { subjects: ['else.>'] }),
  ],
  ['deletes the consumer', (operator) => operator.consumers.delete(STREAM, 'group')],
  [
    'pauses the consumer',
    (operator) => operator.consumers.pause(STREAM, 'group', new Date(Date.now() + 600_000)),
  ],
  [
    'narrows the consumer to a subject',
    (operator) => operator.consumers.update(STREAM, 'group', { filter_subject: 'platform.events.other' }),
  ],
  [
    'makes the stream another one',
    async (operator) => {
      await operator.streams.delete(STREAM)
      const subjects = ['platform.events.>']
      const other = { retention: RetentionPolicy.Workqueue, storage: StorageType.Memory }
      await operator.streams.add({ name: STREAM, subjects, ...other }).catch(() => undefined)
    },
  ],
]

describe.skipIf(program === undefined)('the stream and its consumers', () => {
  it.each(mishaps)(
    'are put right when an operator %s, and nothing is lost',
    async (_, mishap) => {
      await using rig = await openRig()
      await mishap(rig.operator)
      for (let from = 20; from < 70; from += 10) await rig.outbox.commit(numbered(from, 10))
      await vi.waitFor(() => expect(new Set(rig.handled).size).toBe(70), SOON)
      expect(rig.handled.filter((number, index) => rig.handled.indexOf(number) === index)).toEqual(upTo(70))
      await rig.broker.ping(AbortSignal.timeout(2000))
      const { config } = await rig.operator.streams.info(STREAM)
      expect(config).toMatchObject({
        retention: 'limits',
        storage: 'file',
        max_msgs: -1,
        subjects: ['platform.events.>'],
      })
      expect(config.max_age).toBe(72 * 3600 * 1e9)
    },
    30_000,
  )

  it('a relay that is killed is followed by another one within two seconds, and the order is kept', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await NatsServer.start(program ?? ''))
    const database = stack.use(await testDatabase())
    const first = spawn(
      process.execPath,
      [
        '--input-type=module',
        '-e',
        RELAYING,
        database.url,
        server.url,
        new URL('./index.ts', import.meta.url).href,
      ],
      { stdio: 'inherit', cwd: new URL('..', import.meta.url) },
    )
    stack.defer(() => void first.kill('SIGKILL'))
    await vi.waitFor(async () => expect(await relays(database)).toBe(true), SOON)
    // Contends for the same lock, and is the only one that is left.
    const broker = stack.use(await openBroker(server.url, { database, log }))
    const handled: number[] = []
    stack.use(
      await broker.queue.consume('group', async (events) => {
        for (const { payload } of events) handled.push((payload as { number: number }).number)
      }),
    )
    const outbox = stack.use(await openOutbox({ database, broker, log }))
    await outbox.commit(numbered(0, 100))
    await vi.waitFor(() => expect(handled).toHaveLength(100), SOON)

    first.kill('SIGKILL')
    await once(first, 'exit')
    const killedAt = performance.now()
    for (let from = 100; from < 200; from += 10) await outbox.commit(numbered(from, 10))
    await vi.waitFor(() => expect(handled).toContain(199), { timeout: 10_000, interval: 5 })
    expect(performance.now() - killedAt).toBePrompt(2000)
    expect(handled).toEqual(upTo(200))
  }, 30_000)
})

/** A process that relays until it is killed. */
const RELAYING = `
  import { openBroker } from '@platform/broker'
  import { openDatabase } from '@platform/database'
  const [, databaseUrl, brokerUrl, outboxIndex] = process.argv
  const { openOutbox } = await import(outboxIndex)
  const log = { info() {}, warn() {}, error() {} }
  const database = await openDatabase(databaseUrl, { allowWeakDurability: true, poolSize: 4 })
  const broker = await openBroker(brokerUrl, { database, log })
  await openOutbox({ database, broker, log })
`
