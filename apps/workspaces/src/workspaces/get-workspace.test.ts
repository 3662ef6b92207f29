import { createAutomation, getWorkspace } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('GET /v2/workspaces/:workspaceId', () => {
  it('answers the workspace with the index of its automations', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await owner(createAutomation, { params, body: { name: 'Greet', output: 'hi', do: [], arguments: null } })
    const { automations } = await owner(getWorkspace, { params })
    expect(Object.keys(automations)).toEqual(['Greet'])
    expect(automations.Greet).toMatchObject({ slug: 'Greet', name: 'Greet', arguments: null })
    expect(automations.Greet).not.toHaveProperty('do')
  })

  it('takes slug:<slug> as an address', async () => {
    const { workspace, owner } = await service.newWorkspace()
    expect((await owner(getWorkspace, { params: { workspaceId: `slug:${workspace.slug}` } })).id).toBe(
      workspace.id,
    )
  })

  it('lets editors and super administrators read', async () => {
    const { workspace } = await service.newWorkspace()
    await service.makeEditor(workspace.id, 'edgar')
    const params = { workspaceId: workspace.id }
    expect((await service.as({ userId: 'edgar' })(getWorkspace, { params })).id).toBe(workspace.id)
    expect((await service.as({ userId: 'root', superAdmin: true })(getWorkspace, { params })).id).toBe(
      workspace.id,
    )
  })

  it('answers a foreign workspace byte for byte like a missing one', async () => {
    const { workspace } = await service.newWorkspace()
    const ask = async (path: string) => {
      const response = await service.send(`/v2/workspaces/${path}`, { userId: 'stranger' })
      const headers = [...response.headers].filter(([name]) => name !== 'x-correlation-id' && name !== 'date')
      return { status: response.status, headers, body: await response.text() }
    }
    const missing = await ask(newWorkspaceId())
    expect(missing.status).toBe(404)
    for (const suffix of ['', '/automations', '/automations/any']) {
      expect(await ask(`${workspace.id}${suffix}`)).toEqual(await ask(`${newWorkspaceId()}${suffix}`))
    }
    expect(await ask(workspace.id)).toEqual(missing)
    expect(await ask(`slug:${workspace.slug}`)).toEqual(missing)
    expect(await ask('slug:not-there')).toEqual(missing)
  })

  it('refuses callers without a credential or the internal key', async () => {
    const { workspace } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await expect(service.nobody(getWorkspace, { params })).rejects.toMatchObject({ status: 401 })
    expect((await fetch(`${service.url}/v2/workspaces/${workspace.id}`)).status).toBe(401)
  })

  it.each(['%00', 'a%00b', '%ff'])('refuses the address %s', async (address) => {
    expect((await service.send(`/v2/workspaces/${address}`, {})).status).toBe(400)
  })

  it('shows an API key the workspace it may read, and no other', async () => {
    const { workspace, listed } = await newKey(service)
    const other = await service.newWorkspace()
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: listed._id })
    const status = async (id: string) =>
      (await fetch(`${service.url}/v2/workspaces/${id}`, { headers })).status
    expect(await status(workspace.id)).toBe(200)
    expect(await status(other.workspace.id)).toBe(404)
  })

  it('refuses an API key that has ended', async () => {
    const { workspace } = await service.newWorkspace()
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: 'some' })
    expect((await fetch(`${service.url}/v2/workspaces/${workspace.id}`, { headers })).status).toBe(401)
  })
})
