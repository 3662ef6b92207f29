import { openBroker } from '@platform/broker'
import { uuidv7 } from '@platform/kernel'
import { testDatabase } from '@platform/testing'
import { startTracing, tracer } from '@platform/tracing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { buildRecord } from './event-record.ts'
import { openOutbox } from './outbox.ts'

const SOON = { timeout: 15_000, interval: 10 }
const log = { info: () => {}, warn: () => {}, error: () => {} }
const nats = process.env.TEST_BROKER_URL
if (nats === undefined) {
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('TEST_BROKER_URL must name a NATS server.')
  console.warn('SKIPPED: traces over NATS; set TEST_BROKER_URL=nats://user:password@host:port to test them.')
}
const brokers = [
  'postgres:',
  ...(nats === undefined ? [] : [`${nats}?namespace=t${uuidv7().replaceAll('-', '')}`]),
]

/** The tracer that is there now. */
function current() {
  if (tracer === undefined) throw new Error('Nothing is traced.')
  return tracer
}

describe('the trace of a request', () => {
  let tracing: AsyncDisposable
  beforeAll(async () => {
    tracing = await startTracing({
      endpoint: 'http://127.0.0.1:9',
      serviceName: 'test',
      version: '0',
      sampler: 'parentbased_always_on',
      samplerArg: 1,
      warn: () => undefined,
    })
  })
  afterAll(() => tracing[Symbol.asyncDispose]())

  it.each(brokers)(
    'reaches what handles its events, also where they were committed with those of others: %#',
    async (url) => {
      await using database = await testDatabase()
      await using broker = await openBroker(url, { database, log })
      await using outbox = await openOutbox({ database, broker, log })
      const traces = new Map<string, string | undefined>()
      await using _consumer = await broker.queue.consume(
        'group',
        async ([event]) => void (event && traces.set(event.id, current().active()?.traceId)),
        { maxBatch: 1 },
      )
      const record = () =>
        buildRecord({
          type: 'order.created',
          payload: {},
          source: { workspaceId: 'w', correlationId: 'no-trace' },
        })
      const emit = async (commit: (one: ReturnType<typeof record>) => Promise<unknown>) => {
        const request = current().begin({ name: 'POST', kind: 'server' }, {})
        const one = record()
        await current().finish(request, () => commit(one))
        return [one.id, request.traceId] as const
      }
      const untraced = record()
      const emitted = await Promise.all([
        emit((one) => outbox.commit([one])),
        outbox.commit([untraced]),
        emit((one) => outbox.commit([one])),
        emit((one) => outbox.commitOnce([one])),
        emit((one) => database.transaction((tx) => outbox.addRecords(tx, [one]))),
      ])
      await vi.waitFor(() => expect(traces.size).toBe(5), SOON)
      const known = new Map(emitted.filter((one) => one !== undefined))
      for (const [id, traceId] of known) expect(traces.get(id)).toBe(traceId)
      expect([...known.values()]).not.toContain(traces.get(untraced.id))
    },
  )
})
