import { apiKeysUpdated, getWorkspace, updateApiKey } from '@platform/contracts'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditOf, exampleRules, newKey } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const rules = [{ action: ['update', 'read'], subject: 'pages' }]

describe('PUT /v2/workspaces/:workspaceId/security/apikeys/:apiKey', () => {
  it('replaces the rules and leaves what was not given, by record id and by the whole key', async () => {
    const { workspace, owner, made, listed } = await newKey(service)
    const granted = [
      { action: ['update', 'read'], subject: 'pages', conditions: { workspaceId: workspace.id } },
    ]
    for (const apiKey of [listed._id, made.apiKey]) {
      const saved = await owner(updateApiKey, {
        params: { workspaceId: workspace.id, apiKey },
        body: { rules },
      })
      expect(saved).toEqual({ ...listed, rules: granted, updatedAt: expect.any(String) })
    }
  })

  it('changes name, expiry and disabling where they are given, and takes the expiry back with null', async () => {
    const { workspace, owner, listed } = await newKey(service)
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const body = { name: 'Renamed', rules, expiresAt, disabled: true }
    expect(await owner(updateApiKey, { params, body })).toMatchObject({
      name: 'Renamed',
      expiresAt,
      disabled: true,
    })
    expect(await owner(updateApiKey, { params, body: { rules } })).toMatchObject({
      expiresAt,
      disabled: true,
    })
    const open = { rules, expiresAt: null, disabled: false }
    expect(await owner(updateApiKey, { params, body: open })).toMatchObject({
      expiresAt: null,
      disabled: false,
    })
  })

  it('disables and renames without being told the rules again', async () => {
    const { workspace, owner, listed } = await newKey(service)
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    const changed = await owner(updateApiKey, { params, body: { disabled: true } })
    expect(changed).toEqual({ ...listed, disabled: true, updatedAt: expect.any(String) })
    expect((await service.eventsOf(workspace.id)).at(-1)).toMatchObject({ payload: { rules: listed.rules } })
    expect(await owner(updateApiKey, { params, body: { name: 'Old' } })).toMatchObject({
      name: 'Old',
      disabled: true,
      rules: listed.rules,
    })
  })

  it('counts at once where it was made', async () => {
    const { workspace, owner, listed } = await newKey(service)
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: listed._id })
    const read = () => service.nobody(getWorkspace, { params: { workspaceId: workspace.id }, headers })
    expect((await read()).id).toBe(workspace.id)
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    await owner(updateApiKey, { params, body: { rules } })
    await expect(read()).rejects.toMatchObject({ status: 403 })
    await owner(updateApiKey, { params, body: { rules: exampleRules, disabled: true } })
    await expect(read()).rejects.toMatchObject({ status: 401 })
  })

  it('emits apikeys.updated and writes the audit trail', async () => {
    const { workspace, owner, ownerId, listed } = await newKey(service)
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    const saved = await owner(updateApiKey, { params, body: { rules } })
    expect((await service.eventsOf(workspace.id)).at(-1)).toMatchObject({
      type: apiKeysUpdated.type,
      payload: { apiKey: listed.apiKey, _id: listed._id, subjectId: workspace.id, rules: saved.rules },
    })
    expect((await auditOf(service.database, listed._id)).at(-1)).toMatchObject({
      action: 'apiKey.updated',
      actor: `user:${ownerId}`,
    })
  })

  it('refuses bad rules and a past expiry with 400, and leaves the key as it was', async () => {
    const { workspace, owner, listed } = await newKey(service)
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    const bad = [{ action: 'read', subject: 'all' }]
    await expect(owner(updateApiKey, { params, body: { rules: bad } })).rejects.toMatchObject({
      name: 'InvalidSecurity',
    })
    const past = new Date(0).toISOString()
    await expect(owner(updateApiKey, { params, body: { rules, expiresAt: past } })).rejects.toMatchObject({
      status: 400,
    })
    await expect(owner(updateApiKey, { params, body: { rules: [] } })).rejects.toMatchObject({ status: 400 })
  })

  it('answers 401, 403 to editors and tokens, 404 to strangers and for missing or foreign keys', async () => {
    const { workspace, owner, ownerId, listed } = await newKey(service)
    const other = await newKey(service)
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    await service.makeEditor(workspace.id, 'edgar')
    const call = (client: typeof owner, apiKey = listed._id) =>
      client(updateApiKey, { params: { ...params, apiKey }, body: { rules } })
    await expect(call(service.nobody)).rejects.toMatchObject({ status: 401 })
    await expect(call(service.as({ userId: 'edgar' }))).rejects.toMatchObject({ status: 403 })
    const token = service.as({ userId: ownerId, via: 'accessToken', sessionId: 'at:1' })
    await expect(call(token)).rejects.toMatchObject({ status: 403 })
    await expect(call(service.as({ userId: 'eve' }))).rejects.toMatchObject({ status: 404 })
    const missing = await call(owner, uuidv7()).catch((error) => JSON.stringify(error))
    expect(missing).toContain('ObjectNotFoundError')
    for (const apiKey of [other.listed._id, other.made.apiKey, 'no-key', 'iak_x'])
      expect(await call(owner, apiKey).catch((error) => JSON.stringify(error))).toBe(missing)
  })
})
