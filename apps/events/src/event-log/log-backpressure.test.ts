import { RELAY_READER } from '@platform/broker'
import { emitEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { startTestService } from '@platform/testing'
import { expect, test, vi } from 'vitest'
import { newWorkspace } from '../../test/search-requests.ts'
import { events } from '../service.ts'
import { logLagMs } from './log-lag-store.ts'

const SOON = { timeout: 15_000, interval: 100 }

test('accepting waits for a log that is behind, and is 503 with Retry-After while it is far behind', async () => {
  await using service = await startTestService(events, { env: { EVENTS_MAX_LAG_SECONDS: '60' } })
  const { database } = service
  const workspaceId = await newWorkspace(service, 'ada')
  const emit = async () => {
    const startedAt = performance.now()
    await service.as({ userId: 'ada' })(emitEvents, {
      params: { workspaceId },
      body: { events: [{ type: 'order.placed', payload: {} }] },
    })
    return performance.now() - startedAt
  }
  await emit()
  await vi.waitFor(async () => expect(await logLagMs(database, RELAY_READER)).toBe(0), SOON)

  // A cursor that stays behind what nobody has kept: of a relay, which no process of this platform moves.
  const id = uuidv7()
  const waitingFor = async (ageMs: number) => {
    const createdAt = new Date(Date.now() - ageMs).toISOString()
    const record = { id, type: 'a', source: { workspaceId }, payload: {}, createdAt, size: 1 }
    await vi.waitFor(async () => {
      // Not shown to readers yet, while another transaction of the server is older, is left, too.
      const left = await database.many(sql`
        select 1 from outbox.consumers, outbox.events_after(consumers.xid, consumers.position, 1)
        where name = 'events'
        union all
        select 1 from outbox.events e
        where e.id <> ${id}::uuid and not exists (select from search.documents d where d.id = e.id)`)
      expect(left).toEqual([])
    }, SOON)
    await database.transaction(async (tx) => {
      await tx.many(sql`delete from outbox.events where id = ${id}::uuid`)
      await tx.many(sql`delete from search.documents where id = ${id}::uuid`)
      await tx.many(
        sql`insert into outbox.events (id, type, record) values (${id}, 'a', ${JSON.stringify(record)}::json)`,
      )
      await tx.many(sql`
        insert into outbox.consumers (name, xid, position)
        select 'relay', xid, position from outbox.consumers where name = 'events'
        on conflict (name) do update set xid = excluded.xid, position = excluded.position`)
    })
    // The service's own group keeps it at once: that it is not there is what is looked at.
    await vi.waitFor(async () => {
      const [kept] = await database.many(
        sql`delete from search.documents where id = ${id}::uuid returning 1 as one`,
      )
      expect(kept).toBeDefined()
    }, SOON)
  }

  await waitingFor(40_000)
  expect(await logLagMs(database, RELAY_READER)).toBeGreaterThan(39_000)
  await vi.waitFor(async () => expect(await emit()).toBeGreaterThan(400), SOON)
  await waitingFor(600_000)
  await vi.waitFor(
    async () =>
      await expect(emit()).rejects.toMatchObject({
        name: 'ServiceUnavailable',
        retryAfterSeconds: 30,
        message: expect.stringMatching(/^The event log is \d+ s behind/),
      }),
    SOON,
  )
  await database.many(sql`delete from outbox.consumers where name = 'relay'`)
  await vi.waitFor(emit, SOON)
})
