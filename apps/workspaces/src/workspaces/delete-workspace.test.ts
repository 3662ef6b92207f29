import { createWorkspace, deleteWorkspace, getWorkspace, workspaceDeleted } from '@platform/contracts'
import { sql } from '@platform/database'
import { DAY_MS, newWorkspaceId, systemClock } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces, unique } from '../../test/testing.ts'
import { changeStore } from '../changes/change-store.ts'
import { workspaceStore } from './workspace-store.ts'
import { emptyTrash } from './workspaces-part.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('DELETE /v2/workspaces/:workspaceId', () => {
  it('hides the workspace at once, keeps its rows and emits workspaces.deleted', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    expect(await owner(deleteWorkspace, { params })).toEqual({ id: workspace.id })
    await expect(owner(getWorkspace, { params })).rejects.toMatchObject({ status: 404 })
    const live = await service.database.many(
      sql`select 1 from workspaces.live_definitions where workspace_id = ${workspace.id}`,
    )
    expect(live).toEqual([])
    const [change] = await service.database.many(
      sql`select deleted, revision from workspaces.changes where workspace_id = ${workspace.id}`,
    )
    expect(change).toEqual({ deleted: true, revision: 2 })
    const event = (await service.eventsOf(workspace.id)).at(-1)
    const payload = { workspaceId: workspace.id, name: workspace.name, workspaceSlug: workspace.slug }
    expect(event).toMatchObject({ type: workspaceDeleted.type, payload })
  })

  it('frees the slug for others', async () => {
    const slug = unique('free')
    const owner = service.as({ userId: unique('owner') })
    const { id } = await owner(createWorkspace, { body: { name: 'First', slug } })
    await owner(deleteWorkspace, { params: { workspaceId: id } })
    const second = await owner(createWorkspace, { body: { name: 'Second', slug } })
    expect((await owner(getWorkspace, { params: { workspaceId: `slug:${slug}` } })).id).toBe(second.id)
  })

  it('is done once when asked for twice at the same time', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const results = await Promise.allSettled([
      owner(deleteWorkspace, { params }),
      owner(deleteWorkspace, { params }),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const events = (await service.eventsOf(workspace.id)).filter(({ type }) => type === workspaceDeleted.type)
    expect(events).toHaveLength(1)
  })

  it('refuses editors with 403, strangers and missing workspaces with 404, nobody with 401', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await service.makeEditor(workspace.id, 'edgar')
    const [edgar, stranger] = [service.as({ userId: 'edgar' }), service.as({ userId: 'stranger' })]
    await expect(edgar(deleteWorkspace, { params })).rejects.toMatchObject({ name: 'ForbiddenError' })
    await expect(stranger(deleteWorkspace, { params })).rejects.toMatchObject({ status: 404 })
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(deleteWorkspace, { params: missing })).rejects.toMatchObject({ status: 404 })
    await expect(service.nobody(deleteWorkspace, { params })).rejects.toMatchObject({ status: 401 })
    const invalid = await service.send('/v2/workspaces/%00', { method: 'DELETE' })
    expect(invalid.status).toBe(400)
  })
})

describe('the trash', () => {
  it('is emptied when its days are over, and not before', async () => {
    const { workspace, owner } = await service.newWorkspace()
    await owner(deleteWorkspace, { params: { workspaceId: workspace.id } })
    const outbox = await service.resources.outbox('postgres:', service.env.DATABASE_URL ?? '')
    const changes = changeStore(service.database, outbox, (tx) => ({ workspaces: workspaceStore(tx) }))
    const rows = () =>
      service.database.many(sql`select 1 from workspaces.changes where workspace_id = ${workspace.id}`)
    const empty = (aheadMs: number) =>
      emptyTrash({
        changes,
        clock: { now: () => new Date(systemClock.now().getTime() + aheadMs) },
        trashDays: 30,
      }).run(new AbortController().signal)

    await empty(29 * DAY_MS)
    expect(await rows()).toHaveLength(1)
    await empty(31 * DAY_MS)
    expect(await rows()).toHaveLength(0)
  })
})
