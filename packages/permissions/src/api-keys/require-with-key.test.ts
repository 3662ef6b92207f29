import type { Principal, UserPrincipal } from '@platform/auth'
import type { ApiKeyRuleInput } from '@platform/contracts'
import { sql } from '@platform/database'
import { type Failure, newWorkspaceId, uuidv7 } from '@platform/kernel'
import { type TestDatabase, testDatabase, userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeyRecord } from '../../test/testing.ts'
import { type OpenPermissions, openPermissions } from '../open-permissions.ts'
import { type PermissionStore, permissionStore } from '../permission-store.ts'
import type { Action, Subject } from '../permissions.ts'
import { rulesOf } from '../rules.ts'
import type { ApiKeyRecord } from './api-key.ts'
import { type ApiKeyStore, apiKeyStore } from './api-key-store.ts'
import { grantRules } from './grant-rules.ts'

let database: TestDatabase
let permissions: OpenPermissions
let store: PermissionStore
let keys: ApiKeyStore
let ms = Date.parse('2026-01-01T12:00:00Z')
const clock = { now: () => new Date(ms) }
/** Longer than any answer is kept. */
const aSecondLater = () => {
  ms += 1001
}

beforeAll(async () => {
  database = await testDatabase()
  permissions = await openPermissions({ database, clock })
  store = permissionStore(database)
  keys = apiKeyStore(database)
})
afterAll(() => database[Symbol.asyncDispose]())

async function newWorkspace() {
  const id = newWorkspaceId()
  await store.insertWorkspace({ id, slug: `slug-${id}`, name: 'Name' })
  await store.setRole(id, 'olga', 'owner')
  await store.setRole(id, 'edgar', 'editor')
  return id
}

async function newKey(workspaceId: string, rules: ApiKeyRuleInput[], options: Partial<ApiKeyRecord> = {}) {
  const granted = grantRules(rules, workspaceId, rulesOf({ kind: 'internal' }, undefined))
  const key = apiKeyRecord({ workspaceId, createdBy: 'olga', rules: granted, ...options })
  await keys.insert(key, `hash of ${key.id}`)
  return key
}

const alone = ({ id }: ApiKeyRecord): Principal => ({ kind: 'apiKey', apiKeyId: id })
const beside = (userId: string, { id }: ApiKeyRecord, options: Partial<UserPrincipal> = {}) =>
  userPrincipal({ userId, apiKeyId: id, ...options })

/** `by` of the admission, or the status of the refusal. */
const ask = (principal: Principal | undefined, action: Action, subject: Subject, workspaceId: string) =>
  permissions.require(principal, action, { type: subject, workspace: workspaceId }).then(
    ({ by }) => by,
    ({ status }: Failure) => status,
  )
const refusalOf = (principal: Principal, workspaceId: string) =>
  permissions
    .require(principal, 'read', { type: 'events', workspace: workspaceId })
    .catch((error: Failure) => JSON.stringify(error))

const reading = [{ action: 'read', subject: 'workspaces' }]

describe('an API key alone', () => {
  it('may what its rules say in its workspace, gets 403 for the rest, and knows no other workspace', async () => {
    const [home, foreign] = [await newWorkspace(), await newWorkspace()]
    const key = alone(await newKey(home, [...reading, { action: 'create', subject: 'events' }]))
    expect(await ask(key, 'read', 'workspaces', home)).toBe('apiKey')
    expect(await ask(key, 'read', 'workspaces', `slug:slug-${home}`)).toBe('apiKey')
    expect(await ask(key, 'create', 'events', home)).toBe('apiKey')
    expect(await ask(key, 'read', 'events', home)).toBe(403)
    expect(await ask(key, 'update', 'workspaces', home)).toBe(403)
    expect(await ask(key, 'execute', 'automations', home)).toBe(403)
    expect(await ask(key, 'read', 'workspaces', foreign)).toBe(404)
    expect(await refusalOf(key, foreign)).toBe(await refusalOf(key, newWorkspaceId()))
  })

  it('may execute automations of other workspaces as everybody may, which opens no guarded one', async () => {
    const [home, foreign] = [await newWorkspace(), await newWorkspace()]
    const key = alone(await newKey(home, reading))
    expect(await ask(key, 'execute', 'automations', foreign)).toBe('everybody')
  })

  it('never touches security, whatever its rules say', async () => {
    const home = await newWorkspace()
    const key = await newKey(home, [{ action: 'manage', subject: 'workspaces' }], {
      createdAsSuperAdmin: true,
    })
    for (const action of ['manage_security', 'manage_permissions'] as const) {
      expect(await ask(alone(key), action, 'workspaces', home)).toBe(403)
      expect(await ask(beside('edgar', key), action, 'workspaces', home)).toBe(403)
    }
  })

  it('ends with 401 when it is deleted, disabled or expired, within a second', async () => {
    const home = await newWorkspace()
    const expiring = await newKey(home, reading, { expiresAt: new Date(ms + 60_000) })
    const [deleted, disabled] = [await newKey(home, reading), await newKey(home, reading)]
    const all = [deleted, disabled, expiring].map(alone)
    const answers = () => Promise.all(all.map((key) => ask(key, 'read', 'workspaces', home)))
    expect(await answers()).toEqual(['apiKey', 'apiKey', 'apiKey'])
    await keys.remove(deleted.id)
    await keys.update({ ...disabled, disabled: true })
    aSecondLater()
    expect(await answers()).toEqual([401, 401, 'apiKey'])
    ms += 60_000
    expect(await answers()).toEqual([401, 401, 401])
    for (const apiKeyId of ['', 'some', uuidv7()])
      expect(await ask({ kind: 'apiKey', apiKeyId }, 'read', 'workspaces', home)).toBe(401)
  })

  it('loses what its creator loses, within a second, and gets it back', async () => {
    const home = await newWorkspace()
    const rules = [{ action: ['read', 'delete'], subject: 'workspaces' }]
    const [key, strong] = [
      await newKey(home, rules),
      await newKey(home, rules, { createdAsSuperAdmin: true }),
    ]
    const may = () =>
      Promise.all([
        ask(alone(key), 'read', 'workspaces', home),
        ask(alone(key), 'delete', 'workspaces', home),
        ask(alone(strong), 'delete', 'workspaces', home),
      ])
    expect(await may()).toEqual(['apiKey', 'apiKey', 'apiKey'])
    await store.setRole(home, 'olga', 'editor')
    aSecondLater()
    expect(await may()).toEqual(['apiKey', 403, 'apiKey'])
    await database.many(sql`delete from permissions.members where user_id = 'olga'`)
    aSecondLater()
    expect(await may()).toEqual([403, 403, 'apiKey'])
    await store.setRole(home, 'olga', 'owner')
    aSecondLater()
    expect(await may()).toEqual(['apiKey', 'apiKey', 'apiKey'])
  })
})

describe('an API key beside a user', () => {
  it('adds its rules in its own workspace and nowhere else', async () => {
    const [home, foreign] = [await newWorkspace(), await newWorkspace()]
    const key = await newKey(home, [{ action: 'delete', subject: 'workspaces' }])
    expect(await ask(beside('edgar', key), 'update', 'workspaces', home)).toBe('role')
    expect(await ask(beside('edgar', key), 'delete', 'workspaces', home)).toBe('apiKey')
    expect(await ask(beside('edgar', key), 'delete', 'workspaces', foreign)).toBe(403)
    expect(await ask(beside('eve', key), 'delete', 'workspaces', home)).toBe('apiKey')
    expect(await ask(beside('eve', key), 'read', 'workspaces', home)).toBe(403)
    expect(await ask(beside('eve', key), 'delete', 'workspaces', foreign)).toBe(404)
    expect(await ask(beside('eve', key, { anonymous: true }), 'delete', 'workspaces', home)).toBe('apiKey')
  })

  it('takes nothing away', async () => {
    const home = await newWorkspace()
    const key = await newKey(home, reading)
    expect(await ask(beside('olga', key), 'delete', 'workspaces', home)).toBe('role')
    expect(await ask(beside('eve', key), 'execute', 'automations', home)).toBe('everybody')
    expect(await ask(beside('root', key, { superAdmin: true }), 'delete', 'workspaces', home)).toBe('power')
  })

  it('makes the request 401 when it has ended', async () => {
    const home = await newWorkspace()
    const key = await newKey(home, reading, { disabled: true })
    expect(await ask(beside('olga', key), 'read', 'workspaces', home)).toBe(401)
  })
})

describe('a thousand questions of a key', () => {
  it('ask the database for nothing while the answers are fresh', async () => {
    const home = await newWorkspace()
    const key = alone(await newKey(home, reading))
    let asked = 0
    const counting: typeof database = {
      ...database,
      many(...call) {
        asked += 1
        return database.many(...call)
      },
    }
    const counted = await openPermissions({ database: counting, clock })
    await counted.require(key, 'read', { type: 'workspaces', workspace: home })
    const before = asked
    for (let call = 0; call < 1000; call++)
      await counted.require(key, 'read', { type: 'workspaces', workspace: home })
    expect(asked - before).toBe(0)
  })
})
