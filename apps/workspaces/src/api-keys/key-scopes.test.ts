import { createApiKey, listApiKeys, updateApiKey } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('I5: an API key never has more than the credential that made it', () => {
  it.each([
    ['read', 'events', 'events:read'],
    [['create', 'read'], 'events', 'events:read'],
    ['manage', 'events', 'events:read'],
    ['read', 'workspaces', 'workspaces:read'],
    ['execute', 'automations', 'webhooks'],
    ['manage', 'automations', 'workspaces:read'],
    ['create', 'files', 'files:write'],
    ['read', 'pages', 'pages:read'],
  ])('the right to %s %s needs %s', async (action, subject, scope) => {
    const { workspace, ownerId, listed } = await newKey(service)
    const app = service.as({ userId: ownerId, scopes: ['workspaces:write', 'events:write'] })
    const rules = [{ action, subject }]
    const refusal = { name: 'InsufficientScope', status: 403, details: { scope, subject } }
    const params = { workspaceId: workspace.id }
    await expect(app(createApiKey, { params, body: { name: 'more', rules } })).rejects.toMatchObject(refusal)
    await expect(
      app(updateApiKey, { params: { ...params, apiKey: listed._id }, body: { rules } }),
    ).rejects.toMatchObject(refusal)
    const keys = await service.as({ userId: ownerId })(listApiKeys, { params })
    expect(keys.map(({ rules }) => rules)).toEqual([listed.rules])
  })

  it('fewer scopes bring no key back and let none live longer; ending one takes none of them', async () => {
    const { workspace, ownerId, owner, listed } = await newKey(service)
    const app = service.as({ userId: ownerId, scopes: ['workspaces:write'] })
    const params = { workspaceId: workspace.id, apiKey: listed._id }
    await app(updateApiKey, { params, body: { name: 'Ended', disabled: true } })
    for (const body of [{ disabled: false }, { expiresAt: null }])
      await expect(app(updateApiKey, { params, body })).rejects.toMatchObject({ name: 'InsufficientScope' })
    expect(await owner(updateApiKey, { params, body: { disabled: false } })).toMatchObject({
      disabled: false,
    })
  })

  it('gives what the scopes cover', async () => {
    const { workspace, ownerId } = await service.newWorkspace()
    const app = service.as({ userId: ownerId, scopes: ['workspaces:write', 'events:write'] })
    const rules = [
      { action: 'create', subject: 'events' },
      { action: 'update', subject: 'automations' },
    ]
    const made = await app(createApiKey, {
      params: { workspaceId: workspace.id },
      body: { name: 'CI', rules },
    })
    expect(made.rules.map(({ subject }) => subject)).toEqual(['events', 'automations'])
  })
})
