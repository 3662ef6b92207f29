import { eventStream, workspaceDeleted, workspaceRestored } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId, systemClock, uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fill, later, movableClock, otherStore, startCleanupTests } from '../../test/cleanup-fixture.ts'
import { deleteDue, dropDeletedFromIndex, followTrash, onWorkspacesDeleted } from './deleted-workspaces.ts'
import { runCleanup } from './run-cleanup.ts'

let cleaning: Awaited<ReturnType<typeof startCleanupTests>>
beforeAll(async () => {
  cleaning = await startCleanupTests()
})
afterAll(() => cleaning[Symbol.asyncDispose]())

const { signal } = new AbortController()
const record = (type: string, workspaceId: string) => ({
  id: uuidv7(),
  type,
  source: { workspaceId },
  payload: { workspaceId },
  createdAt: systemClock.now().toISOString(),
  size: 10,
})
const setDeleted = (id: string, at: Date | null) =>
  cleaning.service.database.many(sql`update permissions.workspaces set deleted_at = ${at} where id = ${id}`)
const scheduled = async (id: string) => {
  const rows = await cleaning.service.database.many(
    sql`select 1 from events.scheduled_deletions where workspace_id = ${id}`,
  )
  return rows.length === 1
}
/** A deleted workspace with three events, in the log and in an index where there is one. */
async function deletedWorkspace(index?: Parameters<typeof fill>[0]) {
  const id = await cleaning.newWorkspace()
  await cleaning.fill(id, [3, 2, 1])
  if (index !== undefined) await fill(index, id, [3, 2, 1])
  await setDeleted(id, systemClock.now())
  return id
}

describe.each([
  ['elasticsearch', 3],
  ['opensearch', 0],
] as const)('a workspace deleted beside %s', (driver, leftInIndex) => {
  test('keeps its events in the log for 30 days and then loses them everywhere, with an audit row', async () => {
    await using index = await otherStore(driver)
    const clock = movableClock()
    const { streams } = await cleaning.parts(clock, index)
    const id = await deletedWorkspace(index)
    await onWorkspacesDeleted(streams)([record(workspaceDeleted.type, id)])
    expect(await cleaning.count(id, index)).toBe(leftInIndex)

    clock.moveTo(later(29.9))
    await deleteDue(streams, signal)
    expect(await cleaning.count(id)).toBe(3)
    clock.moveTo(later(30.1))
    await deleteDue(streams, signal)
    expect([await cleaning.count(id), await cleaning.count(id, index)]).toEqual([0, 0])
    expect(await scheduled(id)).toBe(false)
    const rows = await cleaning.service.database.many(
      sql`select actor from audit.entries where action = 'events.deleted' and subject = ${`workspace:${id}`}`,
    )
    expect(rows).toEqual([{ actor: 'platform' }])
  })

  test('keeps them when it is restored in time; what the index has lost is built again from the log', async () => {
    await using index = await otherStore(driver)
    const clock = movableClock()
    const { streams, rebuilt } = await cleaning.parts(clock, index)
    const id = await deletedWorkspace(index)
    await onWorkspacesDeleted(streams)([record(workspaceDeleted.type, id)])
    await setDeleted(id, null)
    await onWorkspacesDeleted(streams)([record(workspaceRestored.type, id)])
    expect(rebuilt).toEqual(driver === 'opensearch' ? [eventStream(id)] : [])
    clock.moveTo(later(31))
    await deleteDue(streams, signal)
    expect(await cleaning.count(id)).toBe(3)
  })
})

describe('events about deletion', () => {
  test('reach the service: what is deleted is scheduled, what is restored is not any more', async () => {
    const id = await cleaning.newWorkspace(systemClock.now())
    await cleaning.tell(workspaceDeleted, id)
    await vi.waitFor(async () => expect(await scheduled(id)).toBe(true), { timeout: 10_000 })
    await setDeleted(id, null)
    await cleaning.tell(workspaceRestored, id)
    await vi.waitFor(async () => expect(await scheduled(id)).toBe(false), { timeout: 10_000 })
  })

  test('that were missed are found by the job, both of deletion and of restoration', async () => {
    await using index = await otherStore('opensearch')
    const { streams, rebuilt } = await cleaning.parts(undefined, index)
    const id = await deletedWorkspace(index)
    await followTrash(streams)
    await dropDeletedFromIndex(streams, signal)
    expect([await scheduled(id), await cleaning.count(id), await cleaning.count(id, index)]).toEqual([
      true,
      3,
      0,
    ])
    await setDeleted(id, null)
    await followTrash(streams)
    expect([await scheduled(id), rebuilt]).toEqual([false, [eventStream(id)]])
  })

  test('that come late or twice change nothing: what is true now decides', async () => {
    await using index = await otherStore('opensearch')
    const { streams } = await cleaning.parts(undefined, index)
    const id = await deletedWorkspace(index)
    await setDeleted(id, null)
    const old = record(workspaceDeleted.type, id)
    await onWorkspacesDeleted(streams)([old, old, record('workspaces.updated', newWorkspaceId())])
    expect([await scheduled(id), await cleaning.count(id, index)]).toEqual([false, 3])
  })

  test('count from the last deletion', async () => {
    const clock = movableClock()
    const { streams } = await cleaning.parts(clock)
    const id = await cleaning.newWorkspace(later(-20))
    await cleaning.fill(id, [25])
    await followTrash(streams, [id])
    await setDeleted(id, later(0))
    clock.moveTo(later(11))
    await followTrash(streams, [id])
    await deleteDue(streams, signal)
    expect(await cleaning.count(id)).toBe(1)
  })
})

describe('the usage of a deleted workspace', () => {
  test('goes with its events, and that of no other workspace; restored in time it keeps it', async () => {
    const clock = movableClock()
    const { streams } = await cleaning.parts(clock)
    const gone = await deletedWorkspace()
    const restored = await deletedWorkspace()
    const living = await cleaning.newWorkspace()
    await followTrash(streams)
    for (const id of [gone, restored, living]) await use(id)
    await setDeleted(restored, null)
    await followTrash(streams)
    clock.moveTo(later(31))
    await deleteDue(streams, signal)
    expect([await usedRows(gone), await usedRows(restored), await usedRows(living)]).toEqual([0, 6003, 6003])
  })

  /** More visitors than one batch deletes. */
  const use = (id: string) =>
    cleaning.service.database.transaction(async (tx) => {
      await tx.many(
        sql`
          insert into events.usage_transactions
          values (${id}, '2026-05-01', 'endpoint', 6000), (${id}, '2026-05-02', 'event', 1)`,
      )
      await tx.many(sql`insert into events.usage_visitors
        select ${id}, '2026-05-01', 'user', n::text from generate_series(1, 6000) as n`)
      await tx.many(
        sql`insert into events.usage_metrics values (${id}, '2026-05-01', 'crawler', 'one', 'pages', null, 1)`,
      )
    })
  const usedRows = async (id: string): Promise<number> => {
    const rows = await cleaning.service.database.many(sql`
      select 1 from events.usage_transactions where workspace_id = ${id}
      union all select 1 from events.usage_visitors where workspace_id = ${id}
      union all select 1 from events.usage_metrics where workspace_id = ${id}`)
    return rows.length
  }
})

describe('the events of a workspace', () => {
  test('that is gone without a trace are kept as long as if it were deleted now', async () => {
    const clock = movableClock()
    const { streams, indices, store } = await cleaning.parts(clock)
    const id = newWorkspaceId()
    await cleaning.fill(id, [100])
    const { report } = await runCleanup(indices, { store, clock })
    expect(report.inactiveDatastreams.streams).not.toContain(eventStream(id))
    expect(await scheduled(id)).toBe(true)
    clock.moveTo(later(31))
    await deleteDue(streams, signal)
    expect(await cleaning.count(id)).toBe(0)
  })

  test('that a store could not delete are deleted by the next try', async () => {
    await using index = await otherStore('elasticsearch')
    const clock = movableClock()
    const { streams } = await cleaning.parts(clock, index)
    const id = await deletedWorkspace(index)
    await followTrash(streams, [id])
    clock.moveTo(later(31))
    const away = { ...index, deleteStream: () => Promise.reject(new Error('The index is away.')) }
    await expect(deleteDue({ ...streams, index: away }, signal)).rejects.toThrow('The index is away.')
    expect(await scheduled(id)).toBe(true)
    await deleteDue(streams, signal)
    expect([await scheduled(id), await cleaning.count(id, index)]).toEqual([false, 0])
  })
})
