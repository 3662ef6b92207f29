import { storeDeadLetter } from '@platform/broker'
import { eventStream, listDeadLetters, replayDeadLetters } from '@platform/contracts'
import { uuidv7 } from '@platform/kernel'
import { describe, expect, vi } from 'vitest'
import { someEvent } from '../../test/indexing-fixture.ts'
import { test } from '../../test/service-fixture.ts'

describe('POST /v2/platform/events/dead-letters/replay', () => {
  test('has the group handle the event again, and the dead letter is gone', async ({
    service,
    workspaceId,
  }) => {
    const record = someEvent(workspaceId)
    await storeDeadLetter(service.database, {
      group: 'events',
      eventId: record.id,
      record,
      reason: 'Error: no',
    })
    const admin = service.as({ superAdmin: true })
    const body = { group: 'events', eventId: record.id }
    expect(await admin(replayDeadLetters, { body })).toEqual({ replayed: 1 })

    const log = await service.resources.log(service.env.DATABASE_URL ?? '')
    await vi.waitFor(
      async () => {
        expect(await log.readAfter(0, 10, eventStream(workspaceId))).toMatchObject([{ id: record.id }])
        const { deadLetters } = await admin(listDeadLetters, { query: { group: 'events' } })
        expect(deadLetters).toEqual([])
      },
      { timeout: 15_000 },
    )
  })

  test('takes all of a group at once', async ({ service }) => {
    const group = `group-${uuidv7()}`
    for (const record of [someEvent(), someEvent()])
      await storeDeadLetter(service.database, { group, eventId: record.id, record, reason: 'Error: no' })
    expect(await service.internal(replayDeadLetters, { body: { group } })).toEqual({ replayed: 2 })
    const { deadLetters } = await service.internal(listDeadLetters, { query: { group } })
    expect(deadLetters.map(({ replaying }) => replaying)).toEqual([true, true])
    expect(await service.internal(replayDeadLetters, { body: { group } })).toEqual({ replayed: 0 })
  })

  test('knows no other', async ({ service }) => {
    const body = { group: 'events', eventId: uuidv7() }
    await expect(service.internal(replayDeadLetters, { body })).rejects.toMatchObject({ status: 404 })
  })

  test('wants a group', async ({ service }) => {
    for (const body of [{}, { group: '' }, { group: 'a b' }, { group: 'events', eventId: '' }])
      await expect(service.internal(replayDeadLetters, { body: body as never })).rejects.toMatchObject({
        status: 400,
      })
  })

  test('is for super administrators', async ({ service }) => {
    const body = { group: 'events' }
    await expect(service.nobody(replayDeadLetters, { body })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({})(replayDeadLetters, { body })).rejects.toMatchObject({ status: 403 })
  })
})
