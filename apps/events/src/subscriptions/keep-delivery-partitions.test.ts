import { listPartitions, sql } from '@platform/database'
import { DAY_MS, uuidv7 } from '@platform/kernel'
import { describe, expect } from 'vitest'
import { deliveryPartitionStore } from './delivery-partition-store.ts'
import { expiredWeeks, neededWeeks } from './delivery-partitions.ts'
import { keepDeliveryPartitions } from './keep-delivery-partitions.ts'
import { movedClock, test } from './testing.ts'

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

  test('have names that sort and never overlap', () => {
    const now = new Date('2026-11-22T00:00:00Z')
    const weeks = neededWeeks('deliveries', now)
    for (const [at, week] of weeks.slice(1).entries()) expect(week.fromMs).toBe(weeks[at]?.toMs)
    expect(expiredWeeks([...weeks.map(({ name }) => name), 'deliveries_default'], now)).toEqual([])
  })
})
