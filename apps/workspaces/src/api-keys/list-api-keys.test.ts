import { createApiKey, listApiKeys } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { exampleRules, newKey } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('GET /v2/workspaces/:workspaceId/security/apikeys', () => {
  it('shows keys masked, with their record id', async () => {
    const { made, listed, ownerId } = await newKey(service)
    expect(listed).toEqual({
      _id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      apiKey: `iak_default_…${made.apiKey.slice(-4)}`,
      name: 'CI',
      rules: made.rules,
      subjectId: made.subjectId,
      subjectType: 'workspaces',
      disabled: false,
      expiresAt: null,
      createdBy: ownerId,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      lastUsedAt: null,
    })
    expect(made.apiKey).not.toContain(listed._id)
  })

  it('is paged, newest first, and holds no keys of other workspaces', async () => {
    const { workspace, owner, ownerId } = await newKey(service)
    await newKey(service)
    const params = { workspaceId: workspace.id }
    for (const name of ['second', 'third'])
      await owner(createApiKey, { params, body: { name, rules: exampleRules } })
    const path = `/v2/workspaces/${workspace.id}/security/apikeys?limit=2`
    const first = await service.send(path, { userId: ownerId })
    expect(first.headers.get('link')).toContain('rel="next"')
    expect(((await first.json()) as { name: string }[]).map(({ name }) => name)).toEqual(['third', 'second'])
    const rest = await owner(listApiKeys, { params, query: { limit: '2', page: '1' } })
    expect(rest.map(({ name }) => name)).toEqual(['CI'])
  })

  it('may be read with an access token', async () => {
    const { workspace, ownerId } = await newKey(service)
    const token = service.as({ userId: ownerId, via: 'accessToken', sessionId: 'at:1' })
    expect(await token(listApiKeys, { params: { workspaceId: workspace.id } })).toHaveLength(1)
  })

  it('answers 400 to bad paging, 401, 403 to editors and keys, 404 to strangers and for missing ones', async () => {
    const { workspace, owner, ownerId, listed } = await newKey(service, [
      { action: 'manage', subject: 'workspaces' },
    ])
    const params = { workspaceId: workspace.id }
    await service.makeEditor(workspace.id, 'edgar')
    const path = `/v2/workspaces/${workspace.id}/security/apikeys`
    expect((await service.send(`${path}?limit=0`, { userId: ownerId })).status).toBe(400)
    await expect(service.nobody(listApiKeys, { params })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({ userId: 'edgar' })(listApiKeys, { params })).rejects.toMatchObject({
      status: 403,
    })
    const withKey = service.as({ userId: 'edgar', apiKeyId: listed._id })
    await expect(withKey(listApiKeys, { params })).rejects.toMatchObject({ status: 403 })
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: listed._id })
    expect((await fetch(service.url + path, { headers })).status).toBe(403)
    await expect(service.as({ userId: 'eve' })(listApiKeys, { params })).rejects.toMatchObject({
      status: 404,
    })
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(listApiKeys, { params: missing })).rejects.toMatchObject({ status: 404 })
  })
})
