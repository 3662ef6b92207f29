import { automationExecuted, type EventRecord, eventStream, listEvents } from '@platform/contracts'
import { buildRecord, insertEvents, wakeReaders } from '@platform/outbox'
import { WordMaker } from '@platform/search'
import { expect, vi } from 'vitest'
import { emitOrders, SOON, subscribed, test } from '../../test/subscription-fixture.ts'

const executed = (workspaceId: string, number: number): EventRecord =>
  buildRecord({
    type: automationExecuted.type,
    payload: {
      slug: 'order',
      trigger: { type: 'endpoint', value: 'order' },
      payload: { body: { sentence: 'the order has been paid by somebody nobody has ever heard of', number } },
      duration: 1,
      startedAt: new Date().toISOString(),
      break: false,
    },
    source: { workspaceId, automationSlug: 'order' },
  })

test('what runs leave is copied into the log, found there, and delivered whole', async ({
  service: { database, ...service },
  workspaceId,
  receiver,
}) => {
  await subscribed({ database, ...service }, workspaceId, receiver.url, {
    events: [automationExecuted.type],
    filter: { 'payload.payload.body.number': [3, 50] },
  })
  const maker = new WordMaker(database)
  const wordsOf = (event: EventRecord) => {
    const stream = eventStream(event.source.workspaceId)
    return maker.wordsOf({ stream, id: event.id, document: { ...event } })
  }
  const runs = Array.from({ length: 60 }, (_, number) => executed(workspaceId, number))
  for (const run of runs) wordsOf(run)
  await vi.waitFor(() => expect(wordsOf(executed(workspaceId, 0)).vocabulary).toBeDefined())
  // An emitter of the version before works out no words.
  await database.many(insertEvents(runs.slice(0, 20)))
  await database.many(insertEvents(runs.slice(20), undefined, wordsOf))
  wakeReaders(database)
  await emitOrders({ database, ...service }, workspaceId, 1)

  const ada = service.as({ userId: 'ada' })
  const list = async (query: { text?: string; limit?: string }) =>
    (await ada(listEvents, { params: { workspaceId }, query })).result.events
  await vi.waitFor(async () => expect(await list({ text: 'order.placed' })).toHaveLength(1), SOON)
  const [order, ...others] = await list({ limit: '100' })
  expect(order?.type).toBe('order.placed')
  expect(others.toReversed()).toEqual(runs)
  expect(await list({ text: 'ever heard', limit: '100' })).toHaveLength(60)
  await vi.waitFor(() => expect(receiver.got).toHaveLength(2), SOON)
  expect(receiver.got.map(({ body }) => body.data.payload.payload)).toEqual([
    { body: expect.objectContaining({ number: 3 }) },
    { body: expect.objectContaining({ number: 50 }) },
  ])
})
