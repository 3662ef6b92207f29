import { setTimeout as pause } from 'node:timers/promises'
import {
  type Database,
  listPartitions,
  makePartitions,
  partitionOf,
  type Queries,
  sql,
} from '@platform/database'
import { DAY_MS, uuidv7 } from '@platform/kernel'
import { describe, expect } from 'vitest'
import { movedClock, test } from '../../test/subscription-fixture.ts'
import { deliveryPartitionStore, expiredWeeks, neededWeeks } from './delivery-partition-store.ts'
import { keepDeliveryPartitions } from './subscription-upkeep.ts'

describe('the weeks of deliveries', () => {
  test('are made ahead, and dropped when everything in them is older than 30 days', async ({ service }) => {
    const clock = movedClock()
    const partitions = deliveryPartitionStore(service.database)
    const job = keepDeliveryPartitions({ partitions, clock })
    const never = new AbortController().signal
    await job.run(never)
    const first = await listPartitions(service.database, 'events.deliveries')
    expect(first).toHaveLength(5)
    const id = uuidv7()
    await service.database.many(sql`
      insert into events.delivery_tries (id, delivery_id, at, duration_ms, outcome, request)
      values (${id}, ${id}, now(), 1, 'delivered', '')`)
    const found = () => service.database.many(sql`select from events.delivery_tries where id = ${id}`)
    clock.advance(30 * DAY_MS)
    await job.run(never)
    expect(await found()).toHaveLength(1)
    clock.advance(8 * DAY_MS)
    await job.run(never)
    expect(await found()).toEqual([])
  })

  test.for(['simple', 'prepared'] as const)(
    'are made while rows of theirs are read, and no statement (%s) misses one',
    async (kind, { service }) => {
      const { database } = service
      const fromMs = Date.parse(kind === 'simple' ? '2031-01-02T00:00:00Z' : '2032-01-01T00:00:00Z')
      const week = partitionOf(`deliveries_${kind}`, fromMs, fromMs + 7 * DAY_MS)
      const id = uuidv7(fromMs + DAY_MS)
      const find = (connection: Queries) =>
        connection.many<{ id: string }>(
          sql`select id from events.deliveries where event_id = ${id} order by id desc`,
        )
      await database.many(sql`
        insert into events.deliveries (id, subscription_id, event_id, event_type, event, begun_at, due_at, created_at)
        values (${id}, ${id}, ${id}, 'a', '{}', now(), now(), now())`)
      // The statement is known to the connection before, or it is not.
      if (kind === 'prepared') for (let n = 0; n < 10; n += 1) expect(await find(database)).toEqual([{ id }])

      const isMade = Promise.withResolvers<void>()
      const letGo = Promise.withResolvers<void>()
      const slow: Database = {
        ...database,
        many: (query, options) => database.many(query, options),
        transaction: (work, options) =>
          database.transaction(async (tx) => {
            const done = await work(tx)
            isMade.resolve()
            await letGo.promise
            return done
          }, options),
      }
      const making = makePartitions(slow, { table: 'events.deliveries' }, [week])
      await isMade.promise
      const reading = Array.from({ length: 4 }, () => find(database))
      await pause(300)
      letGo.resolve()
      await making
      expect(await Promise.all(reading)).toEqual(reading.map(() => [{ id }]))
      expect(await listPartitions(database, 'events.deliveries')).toContain(week.name)
    },
  )

  test('have names that sort and never overlap', () => {
    const now = new Date('2026-11-22T00:00:00Z')
    const weeks = neededWeeks('deliveries', now)
    for (const [at, week] of weeks.slice(1).entries()) expect(week.fromMs).toBe(weeks[at]?.toMs)
    expect(expiredWeeks([...weeks.map(({ name }) => name), 'deliveries_default'], now)).toEqual([])
  })
})
