import type { EventRecord } from '@platform/contracts'
import { sql } from '@platform/database'
import { StoreError } from '@platform/kernel'
import { describe, expect, it, vi } from 'vitest'
import type { BrokerFixture } from './broker-fixture.ts'
import { testEvent, testEvents, uniqueName } from './events.ts'

const SOON = { timeout: 15_000, interval: 10 }
const indexes = (events: EventRecord[]): unknown[] =>
  events.map(({ payload }) => (payload as { index: unknown }).index)

/** Remembers what it handled for one workspace; other tests' events pass by. */
function recorder(workspaceId: string) {
  const handled: EventRecord[] = []
  const handle = async (events: EventRecord[]) => {
    handled.push(...events.filter(({ source }) => source.workspaceId === workspaceId))
  }
  return { handled, handle }
}

/** What every queue promises (port broker.ts). */
export function queueConformance({ broker, otherInstance, database }: BrokerFixture): void {
  describe('queue', () => {
    it('delivers what was published, whole and in order', async () => {
      const workspaceId = uniqueName('workspace')
      const { handled, handle } = recorder(workspaceId)
      const events = testEvents(workspaceId, 50)
      await using _consumer = await broker().queue.consume(uniqueName('group'), handle)
      await broker().queue.publish(events)
      await vi.waitFor(() => expect(handled).toEqual(events), SOON)
    })

    it('delivers to a group what was published before it began', async () => {
      const workspaceId = uniqueName('workspace')
      const { handled, handle } = recorder(workspaceId)
      await broker().queue.publish(testEvents(workspaceId, 3))
      await using _consumer = await broker().queue.consume(uniqueName('group'), handle)
      await vi.waitFor(() => expect(indexes(handled)).toEqual([0, 1, 2]), SOON)
    })

    it('delivers each event to every group and to one instance of it', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      const otherGroup = uniqueName('group')
      const shared = recorder(workspaceId)
      const alone = recorder(workspaceId)
      await using _first = await broker().queue.consume(group, shared.handle)
      await using _second = await otherInstance().queue.consume(group, shared.handle)
      await using _third = await broker().queue.consume(otherGroup, alone.handle)
      for (let index = 0; index < 10; index++)
        await broker().queue.publish([testEvent(workspaceId, { index })])
      await vi.waitFor(() => expect(shared.handled.length + alone.handled.length).toBe(20), SOON)
      expect(indexes(shared.handled)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      expect(indexes(alone.handled)).toEqual(indexes(shared.handled))
    })

    it('goes on in another instance where one stopped', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      const before = recorder(workspaceId)
      const after = recorder(workspaceId)
      const first = await broker().queue.consume(group, before.handle)
      await broker().queue.publish(testEvents(workspaceId, 2))
      await vi.waitFor(() => expect(before.handled).toHaveLength(2), SOON)
      await first[Symbol.asyncDispose]()
      await broker().queue.publish([testEvent(workspaceId, { index: 'later' })])
      await using _second = await otherInstance().queue.consume(group, after.handle)
      await vi.waitFor(() => expect(indexes(after.handled)).toEqual(['later']), SOON)
      expect(before.handled).toHaveLength(2)
    })

    it('finishes the batch in hand when it is disposed, and doesn’t deliver it again', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      const begun = Promise.withResolvers<void>()
      const mayEnd = Promise.withResolvers<void>()
      const seen: string[] = []
      const first = await broker().queue.consume(group, async (events) => {
        if (!events.some(({ source }) => source.workspaceId === workspaceId)) return
        begun.resolve()
        await mayEnd.promise
        seen.push('first')
      })
      await broker().queue.publish([testEvent(workspaceId)])
      await begun.promise
      const disposing = first[Symbol.asyncDispose]()
      mayEnd.resolve()
      await disposing
      expect(seen).toEqual(['first'])
      const after = recorder(workspaceId)
      await using _second = await broker().queue.consume(group, after.handle)
      await broker().queue.publish([testEvent(workspaceId, { index: 'next' })])
      await vi.waitFor(() => expect(indexes(after.handled)).toEqual(['next']), SOON)
    })

    it('keeps batches within maxBatch', async () => {
      const workspaceId = uniqueName('workspace')
      const sizes: number[] = []
      const { handled, handle } = recorder(workspaceId)
      await broker().queue.publish(testEvents(workspaceId, 25))
      await using _consumer = await broker().queue.consume(
        uniqueName('group'),
        async (events) => {
          sizes.push(events.length)
          await handle(events)
        },
        { maxBatch: 10 },
      )
      await vi.waitFor(() => expect(handled).toHaveLength(25), SOON)
      expect(Math.max(...sizes)).toBeLessThanOrEqual(10)
    })

    it('waits through an outage of a store without giving anything up', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      const { handled, handle } = recorder(workspaceId)
      let failures = 0
      await broker().queue.publish(testEvents(workspaceId, 3))
      await using _consumer = await broker().queue.consume(
        group,
        async (batch) => {
          if (failures++ < 4) throw new StoreError('The store is away.', { unavailable: true })
          await handle(batch)
        },
        { maxDeliveries: 1 },
      )
      await vi.waitFor(() => expect(indexes(handled)).toEqual([0, 1, 2]), SOON)
      const letters = await database().many(
        sql`select 1 from outbox.dead_letters where group_name = ${group}`,
      )
      expect(letters).toEqual([])
    })

    it('publishes from many callers at once without losing any', async () => {
      const workspaceId = uniqueName('workspace')
      const { handled, handle } = recorder(workspaceId)
      await using _consumer = await broker().queue.consume(uniqueName('group'), handle)
      const callers = Array.from({ length: 20 }, (_, caller) =>
        Array.from({ length: 10 }, (_, index) => testEvent(workspaceId, { index: caller * 10 + index })),
      )
      await Promise.all(callers.map((events) => broker().queue.publish(events)))
      await vi.waitFor(() => expect(new Set(indexes(handled)).size).toBe(200), SOON)
      for (const events of callers) {
        const order = indexes(events)
        expect(indexes(handled).filter((index) => order.includes(index))).toEqual(order)
      }
    })

    it('answers a ping', async () => {
      await expect(broker().ping(AbortSignal.timeout(2000))).resolves.toBeUndefined()
    })
  })
}
