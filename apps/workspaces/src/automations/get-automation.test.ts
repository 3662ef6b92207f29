import { createAutomation, getAutomation } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('GET /v2/workspaces/:workspaceId/automations/:automationSlug', () => {
  it.each(['plain', 'v1/users/list', 'with space', 'UPPER_lower-1'])(
    'reads the automation %j',
    async (slug) => {
      const { workspace, owner } = await service.newWorkspace()
      const params = { workspaceId: workspace.id }
      const created = await owner(createAutomation, { params, body: { slug, name: 'x', do: [] } })
      const read = await owner(getAutomation, {
        params: { workspaceId: `slug:${workspace.slug}`, automationSlug: slug },
      })
      expect(read).toEqual(created)
    },
  )

  it('refuses missing automations, strangers, callers without a credential and invalid slugs', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id, automationSlug: 'missing' }
    await expect(owner(getAutomation, { params })).rejects.toMatchObject({
      name: 'ObjectNotFoundError',
      message: 'There is no automation "missing" in this workspace.',
    })
    await expect(service.as({ userId: 'stranger' })(getAutomation, { params })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.nobody(getAutomation, { params })).rejects.toMatchObject({ status: 401 })
    expect((await service.send(`/v2/workspaces/${workspace.id}/automations/%00`, {})).status).toBe(400)
  })
})
