import {
  createAutomation,
  createWorkspace,
  deleteWorkspace,
  getAutomation,
  getWorkspace,
  listWorkspaces,
  restoreWorkspace,
  type Workspace,
  workspaceDeleted,
  workspaceRestored,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import type { Client } from '@platform/service-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces, unique } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const deletedWorkspace = async () => {
  const made = await service.newWorkspace()
  const params = { workspaceId: made.workspace.id }
  await made.owner(createAutomation, { params, body: { slug: 'greet', name: 'Greet', do: [] } })
  await made.owner(deleteWorkspace, { params })
  return { ...made, params }
}
const idsInTrash = async (client: Client, ids: string[]) => {
  const listed = await client(listWorkspaces, { query: { deleted: 'true', ids: ids.join(',') } })
  return listed.map(({ id }) => id)
}

describe('POST /v2/workspaces/:workspaceId/restore', () => {
  it('gives the workspace back with its automations, and tells of it in the order of the changes', async () => {
    const { workspace, owner, params } = await deletedWorkspace()
    const restored: Workspace = await owner(restoreWorkspace, { params })
    expect(restored).toMatchObject({ id: workspace.id, slug: workspace.slug, name: workspace.name })
    expect(await owner(getWorkspace, { params })).toMatchObject({ id: workspace.id })
    expect(await owner(getAutomation, { params: { ...params, automationSlug: 'greet' } })).toMatchObject({
      slug: 'greet',
    })
    const [live] = await service.database.many<{ automations: object }>(
      sql`select automations from workspaces.live_definitions where workspace_id = ${workspace.id}`,
    )
    expect(Object.keys(live?.automations ?? {})).toEqual(['greet'])
    const types = (await service.eventsOf(workspace.id)).map(({ type }) => type)
    expect(types.slice(-2)).toEqual([workspaceDeleted.type, workspaceRestored.type])
  })

  it('does nothing a second time, and once when asked for five times at once', async () => {
    const { workspace, owner, params } = await deletedWorkspace()
    const ask = () => owner(restoreWorkspace, { params })
    const answers = await Promise.all(Array.from({ length: 5 }, ask))
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([workspace.id]))
    expect((await ask()).id).toBe(workspace.id)
    const events = (await service.eventsOf(workspace.id)).filter(
      ({ type }) => type === workspaceRestored.type,
    )
    expect(events).toHaveLength(1)
  })

  it('says 409 where the slug is taken meanwhile, and restores under another one', async () => {
    const { workspace, owner, params } = await deletedWorkspace()
    const { slug } = workspace
    await service.as({ userId: unique('other') })(createWorkspace, { body: { name: 'Taker', slug } })
    await expect(owner(restoreWorkspace, { params })).rejects.toMatchObject({
      name: 'AlreadyUsed',
      status: 409,
      message: expect.stringContaining('{"slug": "…"}'),
    })
    const other = unique('other')
    expect(await owner(restoreWorkspace, { params, body: { slug: other } })).toMatchObject({ slug: other })
  })

  it('lets super administrators restore what is not theirs', async () => {
    const { workspace, params } = await deletedWorkspace()
    const root = service.as({ userId: 'root', superAdmin: true })
    expect((await root(restoreWorkspace, { params })).id).toBe(workspace.id)
  })

  it('answers 404 to editors, strangers and for missing ones, 401, 403 to keys, 400 to nonsense', async () => {
    const { workspace, owner, params } = await deletedWorkspace()
    await service.makeEditor(workspace.id, 'edgar')
    for (const userId of ['edgar', 'stranger']) {
      await expect(service.as({ userId })(restoreWorkspace, { params })).rejects.toMatchObject({
        status: 404,
      })
    }
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(restoreWorkspace, { params: missing })).rejects.toMatchObject({ status: 404 })
    const root = service.as({ userId: 'root', superAdmin: true })
    await expect(root(restoreWorkspace, { params: missing })).rejects.toMatchObject({ status: 404 })
    await expect(service.nobody(restoreWorkspace, { params })).rejects.toMatchObject({ status: 401 })
    await expect(service.internal(restoreWorkspace, { params })).rejects.toMatchObject({ status: 403 })
    await expect(owner(restoreWorkspace, { params, body: { slug: 'NO' } })).rejects.toMatchObject({
      status: 400,
    })
  })
})

describe('GET /v2/workspaces?deleted=true', () => {
  it('lists what the caller may restore and nothing else', async () => {
    const { workspace, owner, params } = await deletedWorkspace()
    await service.makeEditor(workspace.id, 'edna')
    const { id } = workspace
    expect(await idsInTrash(owner, [id])).toEqual([id])
    const [listed] = await owner(listWorkspaces, { query: { deleted: 'true' } })
    expect(listed?.deletedAt).toEqual(expect.any(String))
    expect(await owner(listWorkspaces, { query: { deleted: 'false' } })).toEqual([])
    expect(await idsInTrash(service.as({ userId: 'edna' }), [id])).toEqual([])
    expect(await idsInTrash(service.as({ userId: 'stranger' }), [id])).toEqual([])
    expect(await idsInTrash(service.as({ userId: 'root', superAdmin: true }), [id])).toEqual([id])
    await owner(restoreWorkspace, { params })
    expect(await idsInTrash(owner, [id])).toEqual([])
  })
})
