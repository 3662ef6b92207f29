import { storeDeadLetter } from '@platform/broker'
import { getServiceReadiness } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { findNatsServer, NatsServer } from '@platform/outbox/testing'
import { startTestService } from '@platform/testing'
import { expect, test, vi } from 'vitest'
import { events } from './service.ts'

test('a group that is behind and events that were given up are told, and the service stays ready', async () => {
  await using service = await startTestService(events, { env: { READINESS_CACHE_TTL_MS: '0' } })
  const { database } = service
  const id = uuidv7()
  const record = { id, type: 'a', source: {}, payload: {}, createdAt: '2026-01-01T00:00:00Z', size: 1 }
  await vi.waitFor(async () => {
    const report = await service.internal(getServiceReadiness)
    expect(report.modulesReady.map(({ module }) => module)).toContain('broker')
    expect(report.warnings ?? []).toEqual([])
  })
  await database.many(
    sql`insert into outbox.events (id, type, record) values (${id}, 'a', ${JSON.stringify(record)}::json)`,
  )
  await database.many(sql`insert into outbox.consumers (name) values ('stuck')`)
  for (const eventId of ['1', '2'])
    await storeDeadLetter(database, { group: 'stuck', eventId, record, reason: 'no' })
  // The groups of the service itself have soon handled it.
  await vi.waitFor(async () => {
    const { warnings = [], modulesReady } = await service.internal(getServiceReadiness)
    expect(modulesReady.map(({ module }) => module)).toContain('broker')
    expect(warnings.filter(({ module }) => module === 'broker').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^"stuck" has events to handle that are \d{4,} s old\.$/),
      '2 events were given up by "stuck": look at the dead letters.',
    ])
  })
})

test.skipIf(findNatsServer() === undefined)(
  'a broker that answers and takes no events for a minute is an error',
  async () => {
    await using server = await NatsServer.start(findNatsServer() ?? '', { maxFileBytes: 1000 })
    await using service = await startTestService(events, {
      env: { READINESS_CACHE_TTL_MS: '0', BROKER_URL: server.url },
    })
    const commit = async (ageMs: number) => {
      const id = uuidv7()
      const createdAt = new Date(Date.now() - ageMs).toISOString()
      const record = { id, type: 'a', source: {}, payload: { text: 'x'.repeat(2000) }, createdAt, size: 2000 }
      await service.database.many(
        sql`insert into outbox.events (id, type, record) values (${id}, 'a', ${JSON.stringify(record)}::json)`,
      )
    }
    const errorOf = async () =>
      (await service.internal(getServiceReadiness)).errors?.find(({ module }) => module === 'broker')
    await vi.waitFor(async () => expect(await errorOf()).toBeUndefined())
    await commit(90_000)
    await vi.waitFor(async () =>
      expect(await errorOf()).toMatchObject({
        error: 'BrokerError',
        message: expect.stringMatching(
          /^Events wait for the broker for \d+ s: .+ look at its disk and its limits\.$/,
        ),
      }),
    )
  },
)
