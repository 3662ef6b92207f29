import { keepDeadLetter } from '@platform/broker'
import { getServiceReadiness } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
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
    await keepDeadLetter(database, { group: 'stuck', eventId, record, reason: 'no' })
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
