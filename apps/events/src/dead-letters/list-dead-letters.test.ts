import { storeDeadLetter } from '@platform/broker'
import { listDeadLetters } from '@platform/contracts'
import { uuidv7 } from '@platform/kernel'
import { describe, expect } from 'vitest'
import { someEvent } from '../../test/indexing-fixture.ts'
import { test } from '../../test/service-fixture.ts'

describe('GET /v2/platform/events/dead-letters', () => {
  test('shows who gave up what and why, page by page, and no payload', async ({ service }) => {
    const group = `group-${uuidv7()}`
    const secret = { payload: { password: 'canary' } }
    const events = [someEvent('w1', secret), someEvent('w1', secret), someEvent('w1', secret)]
    for (const record of events)
      await storeDeadLetter(service.database, { group, eventId: record.id, record, reason: 'Error: no' })
    await storeDeadLetter(service.database, { group, eventId: 'x', record: undefined, reason: 'No JSON.' })

    const admin = service.as({ superAdmin: true })
    const first = await admin(listDeadLetters, { query: { group, limit: '3' } })
    expect(first.deadLetters).toEqual(
      events.map(({ id }) => ({
        group,
        eventId: id,
        type: 'order.placed',
        workspaceId: 'w1',
        reason: 'Error: no',
        at: expect.any(String),
        replaying: false,
      })),
    )
    const second = await service.internal(listDeadLetters, {
      query: { group, after: String(first.next), limit: '3' },
    })
    expect(second).toEqual({
      deadLetters: [
        expect.objectContaining({ eventId: 'x', type: null, workspaceId: null, reason: 'No JSON.' }),
      ],
      next: null,
    })
    const all = await admin(listDeadLetters, { query: {} })
    expect(all.deadLetters.length).toBeGreaterThanOrEqual(4)
    expect(JSON.stringify([first, second, all])).not.toContain('canary')
  })

  test('refuses other parameters', async ({ service }) => {
    for (const query of [{ group: "x' or 1=1" }, { after: 'x' }, { limit: '0' }, { limit: '201' }])
      await expect(service.internal(listDeadLetters, { query })).rejects.toMatchObject({ status: 400 })
  })

  test('is for super administrators', async ({ service }) => {
    await expect(service.nobody(listDeadLetters, { query: {} })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({})(listDeadLetters, { query: {} })).rejects.toMatchObject({ status: 403 })
  })
})
