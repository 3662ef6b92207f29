import { explainApiKey, updateApiKey } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKey, type TestKey } from '../../test/api-keys.ts'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const rules = [
  { action: 'read', subject: 'workspaces' },
  { action: ['read', 'delete'], subject: 'automations' },
  { action: 'manage_security', subject: 'workspaces' },
]
const explain = (
  { owner, workspace, listed }: TestKey,
  action: string,
  subject: string,
  resource?: Record<string, unknown>,
) =>
  owner(explainApiKey, {
    params: { workspaceId: workspace.id, apiKey: listed._id },
    body: { action, subject, ...(resource === undefined ? {} : { resource }) },
  })

describe('POST /v2/workspaces/:workspaceId/security/apikeys/:apiKey/explain', () => {
  it('names the rule that allows', async () => {
    const key = await newKey(service, rules)
    expect(await explain(key, 'delete', 'automations')).toEqual({
      allowed: true,
      rule: key.made.rules[1],
      reason: 'Allowed by rule 2 of the key, which its creator holds too.',
    })
    expect(await explain(key, 'read', 'workspaces', { id: key.workspace.id })).toMatchObject({
      allowed: true,
    })
  })

  it('says why something is denied', async () => {
    const key = await newKey(service, rules)
    const denied = { allowed: false, rule: null }
    expect(await explain(key, 'update', 'workspaces')).toMatchObject({
      ...denied,
      reason: expect.stringContaining('no rule'),
    })
    expect(await explain(key, 'read', 'workspaces', { id: 'another' })).toMatchObject(denied)
    expect(await explain(key, 'manage_security', 'workspaces')).toMatchObject({
      ...denied,
      reason: 'Denied: no API key may manage_security, whatever its rules say.',
    })
    for (const word of ['__proto__', 'all', 'constructor', 'manage'])
      expect(await explain(key, word, word, { __caslSubjectType__: 'workspaces' })).toMatchObject(denied)
  })

  it('says which words it does not know, and which there are', async () => {
    const key = await newKey(service, rules)
    const told = await explain(key, 'wirte', 'workspace')
    expect(told).toMatchObject({ allowed: false, rule: null })
    expect(told.reason).toMatch(
      /no action "wirte", only manage, create, read, .*no subject "workspace", only workspaces, pages/,
    )
    const { reason } = await explain(key, 'read', 'secrets')
    expect(reason).toContain('no subject "secrets"')
    expect(reason).not.toContain('no action')
  })

  it('says when the creator may not any more', async () => {
    const key = await newKey(service, rules)
    await service.database.many(sql`
      update permissions.members set role = 'editor' where workspace_id = ${key.workspace.id}`)
    await service.database.many(sql`
      insert into permissions.members (workspace_id, user_id, role) values (${key.workspace.id}, 'olga', 'owner')`)
    const olga = { ...key, owner: service.as({ userId: 'olga' }) }
    await expect
      .poll(() => explain(olga, 'read', 'workspaces'), { timeout: 3000 })
      .toMatchObject({ allowed: true })
    const id = key.listed._id
    await service.database.many(sql`
      update permissions.api_keys set created_by = 'gone' where id = ${id}::uuid`)
    expect(await explain(olga, 'read', 'workspaces')).toMatchObject({
      allowed: false,
      rule: key.made.rules[0],
      reason: expect.stringContaining('is no member of the workspace any more'),
    })
  })

  it('says when the key itself is disabled', async () => {
    const key = await newKey(service, rules)
    const params = { workspaceId: key.workspace.id, apiKey: key.listed._id }
    await key.owner(updateApiKey, { params, body: { rules, disabled: true } })
    expect(await explain(key, 'read', 'workspaces')).toMatchObject({
      allowed: false,
      reason: 'Denied: the key is disabled.',
    })
  })

  it('answers 400 to bad bodies, 401, 403 to editors, 404 to strangers and for missing keys', async () => {
    const key = await newKey(service, rules)
    const params = { workspaceId: key.workspace.id, apiKey: key.listed._id }
    const body = { action: 'read', subject: 'workspaces' }
    await service.makeEditor(key.workspace.id, 'edgar')
    const empty = { action: '', subject: 'x' }
    await expect(key.owner(explainApiKey, { params, body: empty })).rejects.toMatchObject({ status: 400 })
    await expect(service.nobody(explainApiKey, { params, body })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({ userId: 'edgar' })(explainApiKey, { params, body })).rejects.toMatchObject({
      status: 403,
    })
    await expect(service.as({ userId: 'eve' })(explainApiKey, { params, body })).rejects.toMatchObject({
      status: 404,
    })
    const missing = { ...params, apiKey: uuidv7() }
    await expect(key.owner(explainApiKey, { params: missing, body })).rejects.toMatchObject({ status: 404 })
  })
})
