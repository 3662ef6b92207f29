import { isApiKey } from '@platform/auth'
import { apiKeysCreated, createApiKey, listApiKeys } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditOf, exampleRules, newKey, traces } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const body = { name: 'CI', rules: exampleRules }
const post = (workspaceId: string, userId: string, sent: string) =>
  service.send(`/v2/workspaces/${workspaceId}/security/apikeys`, {
    method: 'POST',
    userId,
    headers: { 'content-type': 'application/json' },
    body: sent,
  })

describe('the number of API keys', () => {
  it('is limited for a workspace, exactly and also at once', async () => {
    await using few = await startWorkspaces({ API_KEYS_PER_WORKSPACE_MAX: '3' })
    const { workspace, owner } = await few.newWorkspace()
    const create = (workspaceId = workspace.id) => owner(createApiKey, { params: { workspaceId }, body })
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => create()))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    await expect(create()).rejects.toMatchObject({
      name: 'ForbiddenError',
      message: 'The workspace has 3 API keys, as many as it may have: delete some first.',
    })
  })
})

describe('POST /v2/workspaces/:workspaceId/security/apikeys', () => {
  it('answers exactly the five fields of its contract', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const made = await owner(createApiKey, { params: { workspaceId: `slug:${workspace.slug}` }, body })
    expect(made).toEqual({
      apiKey: expect.stringMatching(/^iak_default_[0-9a-f-]{36}$/),
      name: 'CI',
      rules: [
        { action: ['read'], subject: 'workspaces', conditions: { id: workspace.id } },
        { action: ['create'], subject: 'files', conditions: { workspaceId: workspace.id } },
      ],
      subjectId: workspace.id,
      subjectType: 'workspaces',
    })
    expect(isApiKey(made.apiKey)).toBe(true)
  })

  it('emits apikeys.created and writes the audit trail, both with the masked key', async () => {
    const { workspace, ownerId, made, listed } = await newKey(service)
    const masked = `iak_default_…${made.apiKey.slice(-4)}`
    const event = (await service.eventsOf(workspace.id)).at(-1)
    expect(event).toMatchObject({
      type: apiKeysCreated.type,
      payload: {
        apiKey: masked,
        _id: listed._id,
        subjectType: 'workspaces',
        subjectId: workspace.id,
        rules: made.rules,
      },
      source: { workspaceId: workspace.id, userId: ownerId },
    })
    const [row] = await auditOf(service.database, listed._id)
    expect(row).toMatchObject({ action: 'apiKey.created', actor: `user:${ownerId}` })
    expect(JSON.parse(row?.details ?? '')).toMatchObject({ workspaceId: workspace.id, apiKey: masked })
  })

  it('keeps the key nowhere: not in its row, not in events, not in the audit trail', async () => {
    const { made } = await newKey(service)
    expect(await traces(service.database)).not.toContain(made.apiKey.slice('iak_default_'.length))
  })

  it('takes an expiry in the future only', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    await owner(createApiKey, { params, body: { ...body, expiresAt } })
    const [listed] = await owner(listApiKeys, { params })
    expect(listed?.expiresAt).toBe(expiresAt)
    const past = new Date(Date.now() - 1000).toISOString()
    for (const wrong of [past, '9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00Z'])
      await expect(
        owner(createApiKey, { params, body: { ...body, expiresAt: wrong } }),
      ).rejects.toMatchObject({
        name: 'RequestValidationError',
      })
    expect(await owner(listApiKeys, { params })).toHaveLength(1)
  })

  it('makes nothing twice the same when asked at the same time', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const made = await Promise.all(Array.from({ length: 10 }, () => owner(createApiKey, { params, body })))
    expect(new Set(made.map(({ apiKey }) => apiKey)).size).toBe(10)
  })

  it('refuses subjects and actions that no key may have with 400 InvalidSecurity', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const give = (action: string, subject: string) =>
      owner(createApiKey, { params, body: { name: 'CI', rules: [{ action, subject }] } })
    await expect(give('read', 'secrets')).rejects.toMatchObject({
      name: 'InvalidSecurity',
      status: 400,
      message:
        "Forbidden subjectType 'secrets' found in security rules: " +
        'use one of workspaces, pages, files, apps, events, automations.',
    })
    await expect(give('nosuchaction', 'files')).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(
        /^Forbidden actionType 'nosuchaction' found in security rules: use one of manage, create, read, /,
      ),
    })
  })

  it('refuses every rule with a key that is not in the contract with 400', async () => {
    const { workspace, ownerId } = await service.newWorkspace()
    const extra = fc.constantFrom(
      '"conditions":{}',
      '"inverted":true',
      '"fields":["name"]',
      '"priority":1000',
      '"role":"owner"',
      '"subjectId":"other"',
      '"workspaceId":"other"',
      '"__proto__":{"subject":"all"}',
      '"constructor":{}',
      '"action":"manage"',
    )
    await fc.assert(
      fc.asyncProperty(extra, fc.boolean(), async (field, inRule) => {
        const rule = `{"action":"read","subject":"workspaces"${inRule ? `,${field}` : ''}}`
        const sent = `{"name":"CI","rules":[${rule}]${inRule ? '' : `,${field}`}}`
        return (await post(workspace.id, ownerId, sent)).status === 400
      }),
      { numRuns: 100 },
    )
  })

  it.each([
    '',
    '{}',
    '{"name":"x"}',
    '{"name":"x","rules":[]}',
    '{"name":"","rules":[{"action":"read","subject":"files"}]}',
  ])('refuses the body %s', async (sent) => {
    const { workspace, ownerId } = await service.newWorkspace()
    expect((await post(workspace.id, ownerId, sent)).status).toBe(400)
  })

  it('answers 401, 403 to editors, tokens and keys, 404 to strangers and for missing workspaces', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await service.makeEditor(workspace.id, 'edgar')
    await expect(service.nobody(createApiKey, { params, body })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({ userId: 'edgar' })(createApiKey, { params, body })).rejects.toMatchObject({
      status: 403,
    })
    const token = service.as({ userId: ownerId, via: 'accessToken', sessionId: 'at:1' })
    await expect(token(createApiKey, { params, body })).rejects.toMatchObject({ status: 403 })
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: 'any' })
    await expect(service.nobody(createApiKey, { params, body, headers })).rejects.toMatchObject({
      status: 403,
    })
    const anonymous = service.as({ anonymous: true })
    await expect(anonymous(createApiKey, { params, body })).rejects.toMatchObject({ status: 403 })
    await expect(service.as({ userId: 'eve' })(createApiKey, { params, body })).rejects.toMatchObject({
      status: 404,
    })
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(createApiKey, { params: missing, body })).rejects.toMatchObject({ status: 404 })
    const unscoped = service.as({ userId: ownerId, scopes: ['workspaces:read'] })
    await expect(unscoped(createApiKey, { params, body })).rejects.toMatchObject({
      name: 'InsufficientScope',
    })
  })

  it('lets no key beside a user make keys, whatever its rules say', async () => {
    const { workspace, listed } = await newKey(service, [{ action: 'manage', subject: 'workspaces' }])
    const edgar = service.as({ userId: 'edgar', apiKeyId: listed._id })
    await service.makeEditor(workspace.id, 'edgar')
    const params = { workspaceId: workspace.id }
    await expect(edgar(createApiKey, { params, body })).rejects.toMatchObject({ status: 403 })
  })

  it('lets super administrators make keys of workspaces they are no members of', async () => {
    const { workspace } = await service.newWorkspace()
    const root = service.as({ userId: 'root', superAdmin: true })
    const made = await root(createApiKey, { params: { workspaceId: workspace.id }, body })
    expect(made.subjectId).toBe(workspace.id)
  })
})
