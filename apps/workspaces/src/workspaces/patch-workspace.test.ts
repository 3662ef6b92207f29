import { getWorkspace, patchWorkspace, workspaceUpdated } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces, unique } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('PATCH /v2/workspaces/:workspaceId', () => {
  it('changes the given fields and merges config one level deep', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await owner(patchWorkspace, {
      params,
      body: { description: 'Old', config: { block: 'b', value: { a: 1 } } },
    })
    const patched = await owner(patchWorkspace, {
      params,
      body: { name: 'New', config: { value: { c: 2 } } },
    })
    expect(patched).toMatchObject({
      name: 'New',
      description: 'Old',
      config: { block: 'b', value: { c: 2 } },
    })
    expect(Date.parse(patched.updatedAt)).toBeGreaterThanOrEqual(Date.parse(workspace.updatedAt))
    expect(await owner(getWorkspace, { params })).toMatchObject(patched)
  })

  it('moves to another slug at once, keeps the old one free and tells both in the event', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const [slug, read] = [
      unique('moved'),
      (address: string) => owner(getWorkspace, { params: { workspaceId: address } }),
    ]
    await read(`slug:${workspace.slug}`)
    await owner(patchWorkspace, { params, body: { slug } })
    expect((await read(`slug:${slug}`)).id).toBe(workspace.id)
    await expect(read(`slug:${workspace.slug}`)).rejects.toMatchObject({ status: 404 })
    const event = (await service.eventsOf(workspace.id)).find(({ type }) => type === workspaceUpdated.type)
    expect(event?.payload).toMatchObject({ workspace: { slug }, oldSlug: workspace.slug })
  })

  it('counts every change for those who poll', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await Promise.all(
      Array.from({ length: 5 }, () => owner(patchWorkspace, { params, body: { photo: 'p' } })),
    )
    const [row] = await service.database.many<{ revision: number; deleted: boolean }>(sql`
      select revision, deleted from workspaces.changes where workspace_id = ${workspace.id}`)
    expect(row).toEqual({ revision: 6, deleted: false })
  })

  it('refuses a slug that is taken', async () => {
    const [{ workspace: other }, { workspace, owner }] = [
      await service.newWorkspace(),
      await service.newWorkspace(),
    ]
    const call = owner(patchWorkspace, { params: { workspaceId: workspace.id }, body: { slug: other.slug } })
    await expect(call).rejects.toMatchObject({ name: 'AlreadyUsed' })
  })

  it('lets editors change it', async () => {
    const { workspace } = await service.newWorkspace()
    await service.makeEditor(workspace.id, 'edgar')
    const params = { workspaceId: workspace.id }
    const patched = await service.as({ userId: 'edgar' })(patchWorkspace, {
      params,
      body: { name: 'By Edgar' },
    })
    expect(patched.updatedBy).toBe('edgar')
  })

  it('refuses invalid input, callers without a credential, strangers and missing workspaces', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const body = { name: 'Other' }
    await expect(owner(patchWorkspace, { params, body: { id: 'x' } as never })).rejects.toMatchObject({
      status: 400,
    })
    await expect(service.nobody(patchWorkspace, { params, body })).rejects.toMatchObject({ status: 401 })
    const stranger = service.as({ userId: 'stranger' })
    await expect(stranger(patchWorkspace, { params, body })).rejects.toMatchObject({ status: 404 })
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(patchWorkspace, { params: missing, body })).rejects.toMatchObject({ status: 404 })
    const reader = service.as({ scopes: ['workspaces:read'] })
    await expect(reader(patchWorkspace, { params, body })).rejects.toMatchObject({
      name: 'InsufficientScope',
    })
  })
})
