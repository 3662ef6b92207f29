import { automationDeleted, createAutomation, deleteAutomation, getAutomation } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

async function newAutomation() {
  const made = await service.newWorkspace()
  const params = { workspaceId: made.workspace.id, automationSlug: 'a/b' }
  await made.owner(createAutomation, { params, body: { slug: 'a/b', name: 'x', do: [] } })
  return { ...made, params }
}

describe('DELETE /v2/workspaces/:workspaceId/automations/:automationSlug', () => {
  it('deletes the automation and emits workspaces.automations.deleted', async () => {
    const { workspace, owner, params } = await newAutomation()
    expect(await owner(deleteAutomation, { params })).toEqual({ slug: 'a/b' })
    await expect(owner(getAutomation, { params })).rejects.toMatchObject({ status: 404 })
    const event = (await service.eventsOf(workspace.id)).at(-1)
    expect(event).toMatchObject({ type: automationDeleted.type, payload: { automationSlug: 'a/b' } })
  })

  it('lets editors delete', async () => {
    const { workspace, params } = await newAutomation()
    await service.makeEditor(workspace.id, 'edgar')
    expect(await service.as({ userId: 'edgar' })(deleteAutomation, { params })).toEqual({ slug: 'a/b' })
  })

  it('refuses missing automations, strangers, callers without a credential and invalid slugs', async () => {
    const { workspace, owner, params } = await newAutomation()
    const missing = { ...params, automationSlug: 'missing' }
    await expect(owner(deleteAutomation, { params: missing })).rejects.toMatchObject({ status: 404 })
    await expect(service.as({ userId: 'stranger' })(deleteAutomation, { params })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.nobody(deleteAutomation, { params })).rejects.toMatchObject({ status: 401 })
    const path = `/v2/workspaces/${workspace.id}/automations/%00`
    expect((await service.send(path, { method: 'DELETE' })).status).toBe(400)
  })
})
