import { openDatabase, sql } from '@platform/database'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  announcementsConformance,
  type BrokerFixture,
  deadLettersConformance,
  queueConformance,
  tracesConformance,
} from '../test/conformance.ts'
import { silentLog as log, testEvent, uniqueName } from '../test/events.ts'
import type { Broker } from './broker.ts'
import { RELAY_READER } from './event-log.ts'
import { readNatsAddress } from './nats/address.ts'
import { openBroker } from './open.ts'

const server = process.env.TEST_BROKER_URL
if (server === undefined) {
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('TEST_BROKER_URL must name a NATS server.')
  console.warn('SKIPPED: the NATS driver; set TEST_BROKER_URL=nats://user:password@host:port to test it.')
}

describe.skipIf(server === undefined)('the nats driver', () => {
  const stack = new AsyncDisposableStack()
  let database: TestDatabase
  const brokers: Broker[] = []
  const at = (index: number): Broker => {
    const broker = brokers[index]
    if (broker === undefined) throw new Error('The broker is not open yet.')
    return broker
  }
  const fixture: BrokerFixture = { broker: () => at(0), otherInstance: () => at(1), database: () => database }

  beforeAll(async () => {
    database = stack.use(await testDatabase())
    const second = stack.use(await openDatabase(database.url, { allowWeakDurability: true, poolSize: 4 }))
    const url = `${server}?namespace=${uniqueName('test')}`
    for (const handle of [database, second])
      brokers.push(stack.use(await openBroker(url, { database: handle, log })))
  })
  afterAll(() => stack.disposeAsync())

  queueConformance(fixture)
  deadLettersConformance(fixture)
  announcementsConformance(fixture)
  tracesConformance(fixture)

  it('refuses the stream of another database, unless this one is said to be meant', async () => {
    const url = `${server}?namespace=${uniqueName('owned')}`
    const open = (id: string, isMeant = false) =>
      openBroker(url, { database, log, installation: { id, isMeant } })
    const ping = (broker: Broker) => broker.ping(AbortSignal.timeout(2000))
    await using owner = await open('first')
    await ping(owner)
    await using again = await open('first')
    await ping(again)
    await using other = await open('second')
    await expect(ping(other)).rejects.toMatchObject({ code: 'ANOTHER_INSTALLATION', unavailable: true })
    await expect(ping(other)).rejects.toThrow(/holds events of another database \(first\)/)
    await using meant = await open('second', true)
    await ping(meant)
    await ping(other)
    await expect(ping(owner)).rejects.toMatchObject({ code: 'ANOTHER_INSTALLATION' })
  })

  it('lets groups read a stream only once the relay of their database has registered it', async () => {
    await using restored = await testDatabase()
    const url = `${server}?namespace=${uniqueName('restored')}`
    await using broker = await openBroker(url, { database: restored, log })
    // What was emitted after the backup is still in the stream, and no relay has looked at it yet.
    await broker.queue.publish([testEvent('w', {}, 'later')])
    await restored.many(sql`insert into outbox.consumers (name) values (${RELAY_READER})`)
    const handled: string[] = []
    await using _group = await broker.queue.consume('group', async (events) => {
      handled.push(...events.map(({ type }) => type))
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(handled).toEqual([])
    const { streamId = '' } = (await broker.relayTarget?.state()) ?? {}
    await restored.many(sql`update outbox.consumers set stream_id = ${streamId} where name = ${RELAY_READER}`)
    await vi.waitFor(() => expect(handled).toEqual(['later']), { timeout: 10_000 })
  })
})

describe('a nats server that is not there', () => {
  it('keeps nothing from opening, fails in time and shows no password', async () => {
    await using database = await testDatabase()
    await using broker = await openBroker('nats://user:geheim@127.0.0.1:9', { database, log })
    const startedAt = performance.now()
    await expect(broker.ping(AbortSignal.timeout(2000))).rejects.toMatchObject({
      name: 'BrokerError',
      unavailable: true,
    })
    await expect(broker.queue.publish([])).rejects.toMatchObject({ name: 'BrokerError', unavailable: true })
    await expect(broker.announcements.announce('topic', 'text')).rejects.not.toThrow(/geheim/)
    await using _consumer = await broker.queue.consume('group', async () => {})
    await using _listener = await broker.announcements.listen('topic', () => {})
    expect(performance.now() - startedAt).toBePrompt(5000)
  })
})

describe('the address of a nats server', () => {
  it('is read with all its parts', () => {
    expect(readNatsAddress('tls://us%40er:p%3Ass@one:4222,two:4223?namespace=a_1')).toEqual({
      servers: ['one:4222', 'two:4223'],
      credentials: { user: 'us@er', pass: 'p:ss' },
      tls: true,
      namespace: 'a_1',
    })
    expect(readNatsAddress('tls://one?ca=/etc/ca.pem&namespace=a')).toMatchObject({
      tls: true,
      caFile: '/etc/ca.pem',
    })
    expect(readNatsAddress('nats://token@one')).toMatchObject({ credentials: { token: 'token' }, tls: false })
    expect(readNatsAddress('nats://one:1/')).toMatchObject({ credentials: {}, namespace: 'platform' })
  })

  it('is refused without its credentials being shown', () => {
    expect(() => readNatsAddress('nats://user:geheim@')).toThrow(/must look like/)
    expect(() => readNatsAddress('nats://user:geheim@')).not.toThrow(/geheim/)
    expect(() => readNatsAddress('nats://one?namespace=a.b')).toThrow(/namespace/)
  })
})
