import { emitEvents, listEvents } from '@platform/contracts'
import { sql } from '@platform/database'
import { derivedUuidv7, HOUR_MS, newWorkspaceId, uuidv7 } from '@platform/kernel'
import type { TestService } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { test } from '../../test/service-fixture.ts'

const placed = (id: string, order = 1) => ({
  id,
  type: 'order.placed',
  payload: { order, lines: [{ a: 1 }] },
})

const kept = async (service: TestService, workspaceId: string) =>
  await service.database.many<{ id: string }>(
    sql`select id from outbox.events where workspace_id = ${workspaceId} order by xid, position`,
  )

describe('an event with an id of the caller’s own', () => {
  test('keeps it, and is accepted again with the same answer and kept once', async ({
    service,
    workspaceId,
  }) => {
    const emit = service.as({ userId: 'ada' })
    const events = [placed(uuidv7()), { type: 'order.paid' }]
    const params = { workspaceId }
    const first = await emit(emitEvents, { params, body: { events: [events[0] as never] } })
    expect(first.result).toMatchObject([{ id: events[0] && 'id' in events[0] ? events[0].id : '' }])
    const again = await emit(emitEvents, { params, body: { events: [events[0] as never] } })
    expect(again).toEqual(first)
    const beside = await emit(emitEvents, { params, body: { events: events as never } })
    expect(beside.result[0]).toEqual(first.result[0])
    await vi.waitFor(async () => {
      const feed = await emit(listEvents, { params })
      expect(feed.result.events.map(({ type }) => type)).toEqual(['order.paid', 'order.placed'])
    })
    expect(await kept(service, workspaceId)).toHaveLength(2)
  })

  test('is kept once when many send it at the same time', async ({ service, workspaceId }) => {
    const body = { events: [placed(uuidv7()), placed(uuidv7(), 2)] }
    const emit = service.as({ userId: 'ada' })
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => emit(emitEvents, { params: { workspaceId }, body })),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(await kept(service, workspaceId)).toHaveLength(2)
  })

  test.for([
    ['payload', { payload: { order: 2 } }],
    ['type', { type: 'order.changed' }],
    ['target', { target: { userId: 'ada' } }],
    ['options', { options: { persist: false } }],
  ] as [string, object][])(
    'is refused with another %s, and nothing of its batch is kept',
    async ([, change], { service, workspaceId }) => {
      const emit = service.as({ userId: 'ada' })
      const params = { workspaceId }
      const event = placed(uuidv7())
      await emit(emitEvents, { params, body: { events: [event] } })
      const attempt = emit(emitEvents, {
        params,
        body: { events: [{ type: 'new' }, { ...event, ...change }, placed(uuidv7())] },
      })
      await expect(attempt).rejects.toMatchObject({ name: 'IdempotencyKeyReused', status: 422 })
      expect(await kept(service, workspaceId)).toEqual([{ id: event.id }])
    },
  )

  test('is refused twice in one batch with two contents, and accepted with one', async ({
    service,
    workspaceId,
  }) => {
    const emit = service.as({ userId: 'ada' })
    const params = { workspaceId }
    const id = uuidv7()
    const attempt = emit(emitEvents, { params, body: { events: [placed(id), placed(id, 2)] } })
    await expect(attempt).rejects.toMatchObject({ name: 'IdempotencyKeyReused' })
    expect(await kept(service, workspaceId)).toEqual([])
    const { result } = await emit(emitEvents, { params, body: { events: [placed(id), placed(id)] } })
    expect(result.map((one) => one.id)).toEqual([id, id])
    expect(await kept(service, workspaceId)).toHaveLength(1)
  })

  test('that another workspace uses is refused in the words of one of the own workspace', async ({
    service,
    workspaceId,
  }) => {
    const other = newWorkspaceId()
    await service.database.many(
      sql`insert into permissions.workspaces (id, slug, name) values (${other}, ${other}, 'Test')`,
    )
    await service.database.many(
      sql`insert into permissions.members (workspace_id, user_id, role) values (${other}, 'bob', 'owner')`,
    )
    const event = placed(uuidv7())
    await service.as({ userId: 'bob' })(emitEvents, {
      params: { workspaceId: other },
      body: { events: [event] },
    })
    const ada = service.as({ userId: 'ada' })
    const refusal = (body: object) =>
      ada(emitEvents, { params: { workspaceId }, body: { events: [body as never] } }).then(
        () => 'accepted',
        (error: Error) => JSON.stringify(error),
      )
    const foreign = await refusal(event)
    const own = placed(uuidv7())
    expect(await refusal(own)).toBe('accepted')
    expect(foreign).toContain('IdempotencyKeyReused')
    expect(foreign).toBe((await refusal(placed(own.id, 2))).replaceAll(own.id, event.id))
    expect(await kept(service, workspaceId)).toEqual([{ id: own.id }])
  })

  test.for([
    ['no UUID', 'order-1'],
    ['a UUIDv4', '7c9e6679-7425-40de-944b-e07fc1f90ae7'],
    ['one of tomorrow', uuidv7(Date.now() + 10 * 60_000)],
    ['one from before the outbox begins', uuidv7(Date.now() - 73 * HOUR_MS)],
    ['one of those the platform derives for runs', derivedUuidv7(uuidv7(), 'run', 'executed')],
  ] as [string, string][])('is refused where it is %s', async ([, id], { service, workspaceId }) => {
    const attempt = service.as({ userId: 'ada' })(emitEvents, {
      params: { workspaceId },
      body: { events: [placed(id)] },
    })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('is taken in capitals and from a clock some minutes ahead or hours behind', async ({
    service,
    workspaceId,
  }) => {
    const ids = [uuidv7().toUpperCase(), uuidv7(Date.now() + 4 * 60_000), uuidv7(Date.now() - 71 * HOUR_MS)]
    const { result } = await service.as({ userId: 'ada' })(emitEvents, {
      params: { workspaceId },
      body: { events: ids.map((id) => placed(id)) },
    })
    expect(result.map(({ id }) => id)).toEqual(ids.map((id) => id.toLowerCase()))
  })
})
