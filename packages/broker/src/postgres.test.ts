import type { EventRecord } from '@platform/contracts'
import { type Database, openDatabase } from '@platform/database'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  announcementsConformance,
  type BrokerFixture,
  deadLettersConformance,
  queueConformance,
  tracesConformance,
} from '../test/conformance.ts'
import { silentLog as log, testEvent, testEvents, uniqueName } from '../test/events.ts'
import type { BriefRecord, Broker } from './broker.ts'
import { listDeadLetters, replayDeadLetters, storeDeadLetter } from './dead-letters.ts'
import { openBroker } from './open.ts'
import { knownText } from './record-text.ts'

describe('the postgres driver', () => {
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
    for (const handle of [database, second]) {
      brokers.push(stack.use(await openBroker('postgres:', { database: handle, log })))
    }
  })
  afterAll(() => stack.disposeAsync())

  queueConformance(fixture)
  deadLettersConformance(fixture)
  announcementsConformance(fixture)
  tracesConformance(fixture)

  it('listens for new events only where a group is handled', async () => {
    const channels: string[] = []
    const listen: Database['listen'] = (channel, ...listener) => {
      channels.push(channel)
      return database.listen(channel, ...listener)
    }
    await using broker = await openBroker('postgres:', { database: { ...database, listen }, log })
    await using _announced = await broker.announcements.listen(uniqueName('topic'), () => undefined)
    expect(channels).toEqual(['announcements'])
    const group = uniqueName('group')
    await using _handled = await broker.queue.consume(group, async () => undefined)
    await vi.waitFor(() => expect(channels).toEqual(['announcements', 'outbox']))
  })

  it('leaves out what a group does not ask for, and gives it up whole', async () => {
    await using broker = await openBroker('postgres:', { database, log })
    const workspaceId = uniqueName('workspace')
    const [first, ...others] = testEvents(workspaceId, 3)
    const nobodys = { ...testEvent(workspaceId, {}, 'tests.brief'), source: {} }
    const events = [{ ...first, type: 'tests.brief' } as EventRecord, ...others, nobodys]
    await broker.queue.publish(events)
    const group = uniqueName('group')
    const handled: unknown[] = []
    const ofNobody = new Set<unknown>()
    const handle = async (batch: (EventRecord | BriefRecord)[]) => {
      for (const event of batch) if (event.id === nobodys.id) ofNobody.add(event)
      const mine = batch.filter(({ source }) => source.workspaceId === workspaceId)
      if (mine.some(({ type }) => type === 'tests.brief')) {
        expect(mine[0]).toEqual({ id: first?.id, type: 'tests.brief', source: { workspaceId } })
        throw new Error('this one never works')
      }
      handled.push(...mine)
    }
    const options = { briefTypes: ['tests.brief'], maxDeliveries: 2 }
    await using _handled = await broker.queue.consume(group, handle, options)
    await vi.waitFor(() => expect(handled).toEqual(others), { timeout: 15_000 })
    expect([...ofNobody][0]).toEqual({ id: nobodys.id, type: 'tests.brief', source: {} })
    expect(await listDeadLetters(database, { group })).toEqual([
      expect.objectContaining({ record: events[0], reason: 'Error: this one never works' }),
    ])
  })

  it('knows the text of what it has read', async () => {
    await using broker = await openBroker('postgres:', { database, log })
    const events = testEvents(uniqueName('workspace'), 2)
    await broker.queue.publish(events)
    const texts = new Map<string, string | undefined>()
    await using _handled = await broker.queue.consume(uniqueName('group'), async (batch) => {
      for (const event of batch) texts.set(event.id, knownText(event))
    })
    await vi.waitFor(
      () => {
        for (const event of events) expect(texts.get(event.id)).toBe(JSON.stringify(event))
      },
      { timeout: 15_000 },
    )
  })

  it('keeps what a relay has given up while there is no group of a stream to deliver it to', async () => {
    const [record] = testEvents(uniqueName('workspace'), 1)
    if (record === undefined) throw new Error('There must be an event.')
    await storeDeadLetter(database, { group: 'relay', eventId: record.id, record, reason: 'too large' })
    expect(await replayDeadLetters(database, { group: 'relay' })).toBe(0)
    expect(await listDeadLetters(database, { group: 'relay' })).toMatchObject([{ eventId: record.id }])
  })
})
