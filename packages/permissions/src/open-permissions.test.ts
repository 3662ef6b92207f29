import type { Principal, UserPrincipal } from '@platform/auth'
import { type Failure, newWorkspaceId, systemClock } from '@platform/kernel'
import { type TestDatabase, testDatabase, userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenPermissions, openPermissions } from './open-permissions.ts'
import { type PermissionStore, permissionStore } from './permission-store.ts'
import { userTopicStore } from './user-topic-store.ts'

let database: TestDatabase
let permissions: OpenPermissions
let store: PermissionStore

beforeAll(async () => {
  database = await testDatabase()
  permissions = await openPermissions({ database, clock: systemClock })
  store = permissionStore(database)
})

afterAll(() => database[Symbol.asyncDispose]())

const newWorkspace = async () => {
  const id = newWorkspaceId()
  const workspace = { id, slug: `slug-${id}`, name: 'Name' }
  await store.insertWorkspace(workspace)
  await store.setRole(id, 'olga', 'owner')
  await store.setRole(id, 'edgar', 'editor')
  return workspace
}
const user = (userId: string, options: Partial<UserPrincipal> = {}) => userPrincipal({ userId, ...options })

describe('permissions', () => {
  it('find a workspace by id and by slug', async () => {
    const workspace = await newWorkspace()
    expect(await permissions.findWorkspace(workspace.id)).toEqual(workspace)
    expect(await permissions.findWorkspace(`slug:${workspace.slug}`)).toEqual(workspace)
    expect(await permissions.findWorkspace('slug:')).toBeUndefined()
    expect(await permissions.findWorkspace(workspace.slug)).toBeUndefined()
  })

  it('admit members in their role and super administrators without one', async () => {
    const workspace = await newWorkspace()
    expect(
      await permissions.require(user('olga'), 'delete', { type: 'workspaces', workspace: workspace.id }),
    ).toEqual({
      workspace,
      role: 'owner',
      by: 'role',
    })
    expect(
      await permissions.require(user('edgar'), 'test', { type: 'automations', workspace: workspace.id }),
    ).toEqual({
      workspace,
      role: 'editor',
      by: 'role',
    })
    const admin = user('root', { superAdmin: true })
    expect(
      await permissions.require(admin, 'delete', { type: 'workspaces', workspace: workspace.id }),
    ).toEqual({
      workspace,
      role: undefined,
      by: 'power',
    })
    expect(
      (await permissions.require({ kind: 'internal' }, 'read', { type: 'events', workspace: workspace.id }))
        .workspace,
    ).toEqual(workspace)
  })

  it('refuse a member whose role is too weak with 403', async () => {
    const workspace = await newWorkspace()
    await expect(
      permissions.require(user('edgar'), 'delete', { type: 'workspaces', workspace: workspace.id }),
    ).rejects.toMatchObject({
      name: 'ForbiddenError',
      details: { action: 'delete', subject: 'workspaces', role: 'editor' },
    })
  })

  it('let a run act for its user in its own workspace, and elsewhere execute automations only', async () => {
    const [home, other] = [await newWorkspace(), await newWorkspace()]
    const lent = user('olga', { lentTo: home.id, thirdParty: true })
    const may = (
      action: 'read' | 'update' | 'execute' | 'test',
      type: 'events' | 'automations',
      workspace: string,
    ) =>
      permissions.require(lent, action, { type, workspace }).then(
        ({ by }) => by,
        () => 'refused',
      )
    expect(await may('read', 'events', home.id)).toBe('role')
    expect(await may('execute', 'automations', home.id)).toBe('role')
    expect(await may('execute', 'automations', other.id)).toBe('role')
    expect(await may('read', 'events', other.id)).toBe('refused')
    expect(await may('test', 'automations', other.id)).toBe('refused')
    expect(await may('update', 'automations', other.id)).toBe('refused')
  })

  it('let a workspace do in itself what its editors may, and elsewhere what everybody may', async () => {
    const [home, other] = [await newWorkspace(), await newWorkspace()]
    const itself = { kind: 'workspace', workspaceId: home.id } as const
    const may = (
      action: 'read' | 'update' | 'delete' | 'execute',
      type: 'workspaces' | 'automations',
      id: string,
    ) =>
      permissions.require(itself, action, { type, workspace: id }).then(
        ({ by }) => by,
        () => 'refused',
      )
    expect(await may('update', 'workspaces', home.id)).toBe('role')
    expect(await may('delete', 'workspaces', home.id)).toBe('refused')
    expect(await may('execute', 'automations', other.id)).toBe('everybody')
    expect(await may('read', 'automations', other.id)).toBe('refused')
  })

  it('let those read events whom a topic of the workspace has for a member, and do nothing else', async () => {
    const [home, other] = [await newWorkspace(), await newWorkspace()]
    const may = (
      action: 'read' | 'create',
      type: 'events' | 'workspaces',
      id: string,
      principal = user('guest'),
    ) =>
      permissions.require(principal, action, { type, workspace: id }).then(
        ({ by, role }) => [by, role],
        ({ name }: Failure) => name,
      )
    expect(await may('read', 'events', home.id)).toBe('ObjectNotFoundError')
    const topics = userTopicStore(database)
    await topics.createTopic(home.id, 'visitors')
    await topics.addMembers(home.id, 'visitors', ['guest'])
    expect(await may('read', 'events', home.id)).toEqual(['topic', undefined])
    expect(await may('read', 'events', home.id, user('guest', { anonymous: true }))).toEqual([
      'topic',
      undefined,
    ])
    expect(await may('create', 'events', home.id)).toBe('ObjectNotFoundError')
    expect(await may('read', 'workspaces', home.id)).toBe('ObjectNotFoundError')
    expect(await may('read', 'events', other.id)).toBe('ObjectNotFoundError')
    expect(await may('read', 'events', home.id, user('guest', { lentTo: other.id }))).toBe(
      'ObjectNotFoundError',
    )
  })

  it('answer strangers exactly as if the workspace did not exist', async () => {
    const workspace = await newWorkspace()
    const strangers: (Principal | undefined)[] = [
      user('stranger'),
      user('olga', { anonymous: true }),
      undefined,
    ]
    for (const stranger of strangers) {
      const ask = (address: string) =>
        permissions
          .require(stranger, 'read', { type: 'workspaces', workspace: address })
          .catch((error: Failure) => JSON.stringify(error))
      const [foreign, missing] = [await ask(workspace.id), await ask(newWorkspaceId())]
      expect(foreign).toContain('ObjectNotFoundError')
      expect(foreign).toBe(missing)
    }
  })

  it('let everybody execute automations of a workspace that exists, and of no other', async () => {
    const workspace = await newWorkspace()
    const admission = await permissions.require(undefined, 'execute', {
      type: 'automations',
      workspace: `slug:${workspace.slug}`,
    })
    expect(admission).toEqual({ workspace, role: undefined, by: 'everybody' })
    await expect(
      permissions.require(undefined, 'execute', { type: 'automations', workspace: 'missing' }),
    ).rejects.toMatchObject({
      name: 'ObjectNotFoundError',
    })
  })

  it('forget a deleted workspace and free its slug', async () => {
    const workspace = await newWorkspace()
    await permissions.findWorkspace(workspace.id)
    await store.markDeleted(workspace.id, new Date())
    permissions.forget()
    expect(await permissions.findWorkspace(workspace.id)).toBeUndefined()
    await store.insertWorkspace({ ...workspace, id: newWorkspaceId() })
  })

  it('keep a slug with the workspace that claimed it first', async () => {
    const { slug } = await newWorkspace()
    const claims = Array.from({ length: 5 }, () =>
      store.insertWorkspace({ id: newWorkspaceId(), slug, name: 'Twin' }),
    )
    const results = await Promise.allSettled(claims)
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    await expect(claims[0]).rejects.toMatchObject({ name: 'AlreadyUsed' })
  })

  it('ask the database nothing while an answer is fresh', async () => {
    const workspace = await newWorkspace()
    let asked = 0
    const counting: typeof database = {
      ...database,
      many(...call) {
        asked += 1
        return database.many(...call)
      },
    }
    const counted = await openPermissions({
      database: counting,
      clock: { now: () => new Date(0) },
    })
    await counted.require(user('olga'), 'create', { type: 'events', workspace: workspace.id })
    const before = asked
    for (let call = 0; call < 100; call++)
      await counted.require(user('olga'), 'create', { type: 'events', workspace: workspace.id })
    expect(asked - before).toBe(0)
  })

  it('open in several processes at once on an empty database', async () => {
    await using fresh = await testDatabase()
    await Promise.all(
      Array.from({ length: 3 }, () => openPermissions({ database: fresh, clock: systemClock })),
    )
    expect(await permissionStore(fresh).findWorkspaceById('none')).toBeUndefined()
  })
})
