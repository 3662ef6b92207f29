import { apiKeysDeleted, deleteApiKey, getWorkspace, listApiKeys } from '@platform/contracts'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditOf, newKey } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('DELETE /v2/workspaces/:workspaceId/security/apikeys/:apiKey', () => {
  it.each(['_id', 'whole key'])('deletes by %s, and the key is refused from then on', async (address) => {
    const { workspace, owner, made, listed } = await newKey(service)
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: listed._id })
    const params = { workspaceId: workspace.id }
    const read = () => service.nobody(getWorkspace, { params, headers })
    expect((await read()).id).toBe(workspace.id)
    const apiKey = address === '_id' ? listed._id : made.apiKey
    const answer = await owner(deleteApiKey, { params: { ...params, apiKey } })
    expect(answer).toEqual({ _id: listed._id, apiKey: listed.apiKey })
    expect(await owner(listApiKeys, { params })).toEqual([])
    await expect(read()).rejects.toMatchObject({ status: 401 })
  })

  it('emits apikeys.deleted and writes the audit trail', async () => {
    const { workspace, owner, ownerId, listed } = await newKey(service)
    await owner(deleteApiKey, { params: { workspaceId: workspace.id, apiKey: listed._id } })
    expect((await service.eventsOf(workspace.id)).at(-1)).toMatchObject({
      type: apiKeysDeleted.type,
      payload: {
        apiKey: listed.apiKey,
        _id: listed._id,
        subjectType: 'workspaces',
        subjectId: workspace.id,
      },
    })
    expect((await auditOf(service.database, listed._id)).at(-1)).toMatchObject({
      action: 'apiKey.deleted',
      actor: `user:${ownerId}`,
    })
  })

  it('is done once when asked for twice at the same time', async () => {
    const { workspace, owner, listed } = await newKey(service)
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    const results = await Promise.allSettled([
      owner(deleteApiKey, { params }),
      owner(deleteApiKey, { params }),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const told = (await service.eventsOf(workspace.id)).filter(({ type }) => type === apiKeysDeleted.type)
    expect(told).toHaveLength(1)
  })

  it('answers 400 to bad addresses, 401, 403 to editors, 404 to strangers and for keys it has not', async () => {
    const { workspace, owner, ownerId, listed } = await newKey(service)
    const other = await newKey(service)
    await service.makeEditor(workspace.id, 'edgar')
    const call = (client: typeof owner, apiKey = listed._id) =>
      client(deleteApiKey, { params: { workspaceId: workspace.id, apiKey } })
    const path = `/v2/workspaces/${workspace.id}/security/apikeys/%00`
    expect((await service.send(path, { method: 'DELETE', userId: ownerId })).status).toBe(400)
    await expect(call(service.nobody)).rejects.toMatchObject({ status: 401 })
    await expect(call(service.as({ userId: 'edgar' }))).rejects.toMatchObject({ status: 403 })
    await expect(call(service.as({ userId: 'eve' }))).rejects.toMatchObject({ status: 404 })
    for (const apiKey of [uuidv7(), other.listed._id, other.made.apiKey, 'x'])
      await expect(call(owner, apiKey)).rejects.toMatchObject({ status: 404 })
    expect(await other.owner(listApiKeys, { params: { workspaceId: other.workspace.id } })).toHaveLength(1)
  })
})
