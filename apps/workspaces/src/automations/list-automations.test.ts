import { createAutomation, listAutomations } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('GET /v2/workspaces/:workspaceId/automations', () => {
  it('shows the automations without their steps, oldest first', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const first = await owner(createAutomation, {
      params,
      body: { name: 'First', do: [{ comment: 'x' }], output: 1 },
    })
    await owner(createAutomation, { params, body: { name: 'Second', do: [] } })
    const listed = await owner(listAutomations, { params })
    const { do: _, ...entry } = first
    expect(listed.map(({ slug }) => slug)).toEqual(['First', 'Second'])
    expect(listed[0]).toEqual(entry)
  })

  it('shows none of another workspace', async () => {
    const [{ workspace, owner }, other] = [await service.newWorkspace(), await service.newWorkspace()]
    await other.owner(createAutomation, {
      params: { workspaceId: other.workspace.id },
      body: { name: 'x', do: [] },
    })
    expect(await owner(listAutomations, { params: { workspaceId: workspace.id } })).toEqual([])
  })

  it('refuses callers without a credential, strangers, missing workspaces and invalid addresses', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await expect(service.nobody(listAutomations, { params })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({ userId: 'stranger' })(listAutomations, { params })).rejects.toMatchObject({
      status: 404,
    })
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(listAutomations, { params: missing })).rejects.toMatchObject({ status: 404 })
    expect((await service.send('/v2/workspaces/%00/automations', {})).status).toBe(400)
  })
})
