import { setTimeout as pause } from 'node:timers/promises'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { FaultProxy } from '@platform/testing/platform'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { silentLog as log, uniqueName } from '../../test/events.ts'
import type { Broker } from '../broker.ts'
import { openBroker } from '../open.ts'

/** Each broker has one connection for announcements and one for its queue. */
const CONNECTIONS = 2
const SOON = { timeout: 10_000, interval: 20 }
/** Longer than the client gives a connection, so that it gives up several. */
const OUTAGE_MS = 6500

const server = process.env.TEST_BROKER_URL
if (server === undefined) {
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('TEST_BROKER_URL must name a NATS server.')
  console.warn('SKIPPED: outages of NATS; set TEST_BROKER_URL=nats://user:password@host:port to test them.')
}

describe.skipIf(server === undefined)('after an outage of NATS', () => {
  let database: TestDatabase
  let proxy: FaultProxy
  let url: string
  const stack = new AsyncDisposableStack()
  const answers = (broker: Broker) => vi.waitFor(() => broker.ping(AbortSignal.timeout(1000)), SOON)

  beforeAll(async () => {
    database = stack.use(await testDatabase())
    proxy = stack.use(await FaultProxy.open(Number(new URL(server ?? '').port)))
    url = `${proxy.through(server ?? '')}?namespace=${uniqueName('test')}`
  })
  afterAll(() => stack.disposeAsync())
  beforeEach(() => proxy.set('pass'))

  test.each(['freeze', 'drop'] as const)(
    'that shows as "%s", every dial that was given up is closed, and so is the broker',
    async (fault) => {
      const broker = await openBroker(url, { database, log })
      await answers(broker)
      await proxy.set(fault)
      if (fault === 'drop') proxy.reset()
      await pause(OUTAGE_MS)
      expect(proxy.connections).toBeLessThanOrEqual(CONNECTIONS)
      await proxy.set('pass')
      await answers(broker)
      // What was late would be there by now.
      await pause(1000)
      expect(proxy.connections).toBe(CONNECTIONS)
      await broker[Symbol.asyncDispose]()
      await vi.waitFor(() => expect(proxy.connections).toBe(0), { timeout: 500 })
    },
  )

  test.each(['freeze', 'drop', 'refuse'] as const)(
    'that shows as "%s" and is not over, closing the broker leaves no dial',
    async (fault) => {
      const broker = await openBroker(url, { database, log })
      await answers(broker)
      await proxy.set(fault)
      proxy.reset()
      await pause(1000)
      const startedAt = performance.now()
      await broker[Symbol.asyncDispose]()
      expect(performance.now() - startedAt).toBePrompt(500)
      await proxy.set('pass')
      await pause(3000)
      expect(proxy.connections).toBe(0)
    },
  )

  test('that began before the broker was opened, closing it leaves no dial', async () => {
    await proxy.set('freeze')
    const broker = await openBroker(url, { database, log })
    await vi.waitFor(() => expect(proxy.connections).toBe(CONNECTIONS), SOON)
    await broker[Symbol.asyncDispose]()
    await vi.waitFor(() => expect(proxy.connections).toBe(0), { timeout: 500 })
  })
})
