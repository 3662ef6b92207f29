import type { EventRecord } from '@platform/contracts'
import { sql } from '@platform/database'
import { rounds } from '@platform/testing'
import { describe, expect, it, vi } from 'vitest'
import { listDeadLetters, replayDeadLetters, storeDeadLetter } from '../src/dead-letters.ts'
import type { BrokerFixture } from './broker-fixture.ts'
import { testEvents, uniqueName } from './events.ts'

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

/** What every queue promises about events that always fail (broker.ts, dead-letters.ts). */
export function deadLettersConformance({ broker, database }: BrokerFixture): void {
  describe('dead letters', () => {
    it('gives an event that always fails alone to the dead letters and goes on with the rest in order', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      const { handled, handle } = recorder(workspaceId)
      const events = testEvents(workspaceId, 9)
      const poison = events[4]?.id ?? ''
      let aloneTries = 0
      await broker().queue.publish(events)
      await using _consumer = await broker().queue.consume(
        group,
        async (batch) => {
          if (batch.length === 1 && batch[0]?.id === poison) aloneTries += 1
          if (batch.some(({ id }) => id === poison)) throw new Error('this one never works')
          await handle(batch)
        },
        { maxDeliveries: 3 },
      )
      await vi.waitFor(() => expect(indexes(handled)).toEqual([0, 1, 2, 3, 5, 6, 7, 8]), SOON)
      const letters = await database().many(
        sql`select event_id as id, record, reason from outbox.dead_letters where group_name = ${group}`,
      )
      expect(letters).toEqual([{ id: poison, record: events[4], reason: 'Error: this one never works' }])
      expect(aloneTries).toBe(3)
    })

    it('delivers a dead letter again to its group only when asked, and keeps it when it fails again', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      const otherGroup = uniqueName('group')
      const mended = recorder(workspaceId)
      const other = recorder(workspaceId)
      const events = testEvents(workspaceId, 3)
      const ids = events.map(({ id }) => id)
      let working: string[] = []
      await using _consumer = await broker().queue.consume(
        group,
        async (batch) => {
          const broken = batch.find(({ id }) => ids.includes(id) && !working.includes(id))
          if (broken !== undefined) throw new Error(`no ${working.length}`)
          await mended.handle(batch)
        },
        { maxDeliveries: 1 },
      )
      await using _other = await broker().queue.consume(otherGroup, other.handle)
      await broker().queue.publish(events)
      const letters = () => listDeadLetters(database(), { group })
      await vi.waitFor(async () => expect(await letters()).toHaveLength(3), SOON)
      const [first] = await listDeadLetters(database(), { group, limit: 1 })
      expect(first).toMatchObject({ group, eventId: ids[0], record: events[0], reason: 'Error: no 0' })
      const rest = await listDeadLetters(database(), { group, after: first?.number ?? 0 })
      expect(rest.map(({ eventId }) => eventId)).toEqual(ids.slice(1))

      working = ids.slice(0, 2)
      expect(await replayDeadLetters(database(), { group, eventIds: [ids[0] ?? ''] })).toBe(1)
      await vi.waitFor(async () => expect(await letters()).toHaveLength(2), SOON)
      expect(mended.handled).toEqual([events[0]])
      expect(await replayDeadLetters(database(), { group })).toBe(2)
      await vi.waitFor(
        async () =>
          expect(await letters()).toMatchObject([{ eventId: ids[2], reason: 'Error: no 2', isAsked: false }]),
        SOON,
      )
      expect(mended.handled).toEqual(events.slice(0, 2))
      expect(other.handled).toEqual(events)
    })

    it('keeps a dead letter that the handler itself keeps again when it is asked for', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      let turns = 0
      await using _consumer = await broker().queue.consume(group, async (batch) => {
        for (const record of batch.filter(({ source }) => source.workspaceId === workspaceId))
          await storeDeadLetter(database(), {
            group,
            eventId: record.id,
            record,
            reason: `refused ${turns++}`,
          })
      })
      await broker().queue.publish(testEvents(workspaceId, 1))
      const letters = () => listDeadLetters(database(), { group })
      await vi.waitFor(async () => expect(await letters()).toMatchObject([{ reason: 'refused 0' }]), SOON)
      await replayDeadLetters(database(), { group })
      await vi.waitFor(async () => expect(await letters()).toMatchObject([{ reason: 'refused 1' }]), SOON)
    })

    it('delivers a dead letter once more when it is asked for anew while it is being delivered', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      let turns = 0
      await using _consumer = await broker().queue.consume(group, async (batch) => {
        for (const record of batch.filter(({ source }) => source.workspaceId === workspaceId)) {
          turns += 1
          if (turns > 2) continue
          await storeDeadLetter(database(), { group, eventId: record.id, record, reason: `refused ${turns}` })
          if (turns === 2) await replayDeadLetters(database(), { group })
        }
      })
      await broker().queue.publish(testEvents(workspaceId, 1))
      const letters = () => listDeadLetters(database(), { group })
      await vi.waitFor(async () => expect(await letters()).toMatchObject([{ reason: 'refused 1' }]), SOON)
      await replayDeadLetters(database(), { group })
      await vi.waitFor(async () => expect([turns, await letters()]).toEqual([3, []]), SOON)
    })

    it('lets an event that fails hold back its own workspace only, of the whole batch', async () => {
      const sick = uniqueName('sick')
      const well = uniqueName('well')
      const poisoned = testEvents(sick, 3)
      const good = testEvents(well, 3)
      const [poison, ...behind] = poisoned
      const handled: string[] = []
      let tries = 0
      let triesBefore: number | undefined
      await broker().queue.publish(
        poisoned.flatMap((event, index) => [event, ...good.slice(index, index + 1)]),
      )
      await using _consumer = await broker().queue.consume(uniqueName('group'), async (batch) => {
        if (batch.length === 1 && batch[0]?.id === poison?.id) tries += 1
        if (batch.some(({ id }) => id === poison?.id)) throw new Error('poison')
        handled.push(...batch.map(({ id }) => id))
        if (good.every(({ id }) => handled.includes(id))) triesBefore ??= tries
      })
      const idsOf = (events: EventRecord[]) => events.map(({ id }) => id)
      await vi.waitFor(() => expect(handled).toEqual(expect.arrayContaining(idsOf(behind))), SOON)
      expect(triesBefore).toBeLessThan(2)
      expect(tries).toBe(5)
      const seen = (events: EventRecord[]) => handled.filter((id) => idsOf(events).includes(id))
      expect([seen(good), seen(poisoned)]).toEqual([idsOf(good), idsOf(behind)])
    })

    it('delivers what is new while many letters that fail are tried again', async () => {
      const sick = uniqueName('sick')
      const well = uniqueName('well')
      const group = uniqueName('group')
      const letters = testEvents(sick, rounds(50, 100))
      for (const record of letters)
        await storeDeadLetter(database(), { group, eventId: record.id, record, reason: 'old' })
      let largest = 0
      const began = Promise.withResolvers<void>()
      const tried = new Set<string>()
      let triedBefore: number | undefined
      await using _consumer = await broker().queue.consume(group, async (batch) => {
        if (batch.some(({ source }) => source.workspaceId === well)) triedBefore ??= tried.size
        if (!batch.some(({ source }) => source.workspaceId === sick)) return
        if (batch.length === 1) tried.add(batch[0]?.id ?? '')
        largest = Math.max(largest, batch.length)
        began.resolve()
        await new Promise((resolve) => setTimeout(resolve, 30))
        throw new Error('new')
      })
      await replayDeadLetters(database(), { group })
      await began.promise
      await broker().queue.publish(testEvents(well, 1))
      await vi.waitFor(() => expect(triedBefore).toBeLessThan(letters.length), SOON)
      const reasons = async () => (await listDeadLetters(database(), { group })).map(({ reason }) => reason)
      await vi.waitFor(async () => expect(new Set(await reasons())).toEqual(new Set(['Error: new'])), SOON)
      expect(largest).toBe(20)
    })

    it('delivers all others of many events of which one in a hundred kills its handler', async () => {
      const workspaceId = uniqueName('workspace')
      const group = uniqueName('group')
      const { handled, handle } = recorder(workspaceId)
      const events = testEvents(workspaceId, 101 * rounds(3, 10))
      const poison = new Set(events.filter((_, index) => index % 101 === 50).map(({ id }) => id))
      for (let from = 0; from < events.length; from += 101)
        await broker().queue.publish(events.slice(from, from + 101))
      await using _consumer = await broker().queue.consume(group, async (batch) => {
        if (batch.some(({ id }) => poison.has(id))) throw new Error('poison')
        await handle(batch)
      })
      const good = events.filter(({ id }) => !poison.has(id))
      await vi.waitFor(() => expect(handled).toHaveLength(good.length), { timeout: 60_000, interval: 50 })
      expect(handled).toEqual(good)
      const letters = await listDeadLetters(database(), { group })
      expect(letters.map(({ eventId }) => eventId)).toEqual([...poison])
    }, 70_000)
  })
}
