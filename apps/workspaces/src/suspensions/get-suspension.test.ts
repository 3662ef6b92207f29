import { getSuspension, getWorkspace, putSuspension } from '@platform/contracts'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const root = () => service.as({ userId: 'root', superAdmin: true })

describe('GET /v2/platform/workspaces/:workspaceId/suspension', () => {
  it('says that a workspace is not suspended, and since when, why and by whom it is', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: `slug:${workspace.slug}` }
    const none = {
      workspaceId: workspace.id,
      suspended: false,
      reason: '',
      suspendedAt: null,
      suspendedBy: null,
    }
    expect(await root()(getSuspension, { params })).toEqual(none)
    expect(await owner(getWorkspace, { params })).not.toHaveProperty('suspension')

    const suspended = await root()(putSuspension, { params, body: { suspended: true, reason: 'It floods.' } })

    expect(await service.internal(getSuspension, { params })).toEqual(suspended)
    expect(suspended).toMatchObject({ suspended: true, reason: 'It floods.', suspendedBy: 'root' })
    const { suspension } = await owner(getWorkspace, { params })
    expect(suspension).toEqual({ reason: 'It floods.', suspendedAt: suspended.suspendedAt })
  })

  it('answers 304 to who knows it', async () => {
    const { workspace } = await service.newWorkspace()
    const get = (headers = {}) =>
      fetch(`${service.url}/v2/platform/workspaces/${workspace.id}/suspension`, {
        headers: { ...service.headersOf(userPrincipal({ superAdmin: true })), ...headers },
      })
    const etag = (await get()).headers.get('etag') ?? ''
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
  })

  it('is for super administrators: owners are refused, and what is missing is missing', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await expect(owner(getSuspension, { params })).rejects.toMatchObject({ status: 403 })
    await expect(service.nobody(getSuspension, { params })).rejects.toMatchObject({ status: 401 })
    await expect(
      root()(getSuspension, { params: { workspaceId: 'w0000000000000000' } }),
    ).rejects.toMatchObject({ status: 404 })
  })
})
