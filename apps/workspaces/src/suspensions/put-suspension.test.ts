import {
  deleteWorkspace,
  getWorkspace,
  patchWorkspace,
  putSuspension,
  restoreWorkspace,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const root = () => service.as({ userId: 'root', superAdmin: true })
const reason = 'It floods a partner.'

const put = (id: string, body: unknown, headers = {}) =>
  fetch(`${service.url}/v2/platform/workspaces/${id}/suspension`, {
    method: 'PUT',
    headers: {
      ...service.headersOf(userPrincipal({ userId: 'root', superAdmin: true })),
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })

describe('PUT /v2/platform/workspaces/:workspaceId/suspension', () => {
  it('suspends a workspace and lifts that, each with its event, its audit row and a revision', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const revision = async () => {
      const [row] = await service.database.many<{ revision: number }>(
        sql`select revision::int as revision from workspaces.live_definitions where workspace_id = ${workspace.id}`,
      )
      return row?.revision ?? 0
    }
    const before = await revision()
    await root()(putSuspension, { params, body: { suspended: true, reason } })
    expect(await revision()).toBe(before + 1)
    // What is said again is no news: it makes nobody read the workspace again.
    await root()(putSuspension, { params, body: { suspended: true, reason } })
    expect(await revision()).toBe(before + 1)
    await owner(patchWorkspace, { params, body: { name: 'Edited' } })
    const edited = await revision()
    const lifted = await service.internal(putSuspension, { params, body: { suspended: false } })
    await service.internal(putSuspension, { params, body: { suspended: false } })
    expect(await revision()).toBe(edited + 1)

    expect(lifted).toEqual({
      workspaceId: workspace.id,
      suspended: false,
      reason: '',
      suspendedAt: null,
      suspendedBy: null,
    })
    expect(await owner(getWorkspace, { params })).not.toHaveProperty('suspension')
    const events = (await service.eventsOf(workspace.id)).filter(
      ({ type }) => type === 'workspaces.suspended',
    )
    expect(events.map(({ payload }) => payload)).toEqual([
      { workspaceId: workspace.id, suspended: true, reason },
      { workspaceId: workspace.id, suspended: false, reason: '' },
    ])
    const rows = await service.database.many(sql`
      select action, actor from audit.entries where subject = ${`workspace:${workspace.id}`} order by sequence`)
    expect(rows).toEqual([
      { action: 'workspace.suspended', actor: 'user:root' },
      { action: 'workspace.resumed', actor: 'platform' },
    ])
  })

  it('stays when the workspace is deleted and restored', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await root()(putSuspension, { params, body: { suspended: true, reason } })
    await owner(deleteWorkspace, { params })
    await expect(root()(putSuspension, { params, body: { suspended: false } })).rejects.toMatchObject({
      status: 404,
    })
    await owner(restoreWorkspace, { params })
    expect((await owner(getWorkspace, { params })).suspension).toMatchObject({ reason })
  })

  it('heeds If-Match', async () => {
    const { workspace } = await service.newWorkspace()
    const first = await put(workspace.id, { suspended: true, reason })
    const etag = first.headers.get('etag') ?? ''
    expect((await put(workspace.id, { suspended: false }, { 'if-match': '"other"' })).status).toBe(412)
    expect((await put(workspace.id, { suspended: false }, { 'if-match': etag })).status).toBe(200)
  })

  it.each([
    [{ suspended: true }, 'body.reason'],
    [{ suspended: true, reason: '  ' }, 'body.reason'],
    [{ suspended: true, reason: 'x'.repeat(501) }, 'body.reason'],
    [{ suspended: 'yes', reason }, 'body.suspended'],
    [{ suspended: true, reason, by: 'me' }, 'body.by'],
    [{}, 'body.suspended'],
  ])('refuses %j', async (body, said) => {
    const { workspace } = await service.newWorkspace()
    const response = await put(workspace.id, body)
    expect(response.status).toBe(400)
    expect(JSON.stringify(await response.json())).toContain(said)
  })

  it('is for super administrators: owners are refused, and what is missing is missing', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const body = { suspended: true, reason }
    await expect(owner(putSuspension, { params, body })).rejects.toMatchObject({ status: 403 })
    await expect(service.nobody(putSuspension, { params, body })).rejects.toMatchObject({ status: 401 })
    await expect(
      root()(putSuspension, { params: { workspaceId: 'w0000000000000000' }, body }),
    ).rejects.toMatchObject({ status: 404 })
    expect(await owner(getWorkspace, { params })).not.toHaveProperty('suspension')
  })
})
