import type { KnownWorkspace, WorkspaceRole } from '@platform/auth'
import { isUniqueViolation, type Migrations, type Queries, sql } from '@platform/database'
import { Failure } from '@platform/kernel'

/** Workspaces as far as permissions need them, their members, and API keys. */
export const permissionsMigrations: Migrations = {
  schema: 'permissions',
  directory: new URL('../migrations/', import.meta.url),
}

/** Questions to schema `permissions`; give it a transaction to write with the change that caused it. */
export type PermissionStore = ReturnType<typeof permissionStore>

/** That an operator has suspended a workspace: why, when and who. */
export interface Suspension {
  readonly reason: string
  readonly at: Date
  readonly by: string
}

type WorkspaceRow = Omit<KnownWorkspace, 'suspendedFor'> & { suspendedFor: string | null }

const known = ({ suspendedFor, ...workspace }: WorkspaceRow): KnownWorkspace =>
  suspendedFor === null ? workspace : { ...workspace, suspendedFor }

const columns = sql`id, slug, name, suspended_reason as "suspendedFor"`

/** Statements of schema `permissions`, run on the pool or in a transaction. */
export const permissionStore = (queries: Queries) => ({
  /** By id. undefined when it never was or is deleted. */
  async findWorkspaceById(id: string): Promise<KnownWorkspace | undefined> {
    const [row] = await queries.many<WorkspaceRow>(sql`
      select ${columns} from permissions.workspaces where id = ${id} and deleted_at is null`)
    return row && known(row)
  },

  /** By slug, among the living. */
  async findWorkspaceBySlug(slug: string): Promise<KnownWorkspace | undefined> {
    const [row] = await queries.many<WorkspaceRow>(sql`
      select ${columns} from permissions.workspaces where slug = ${slug} and deleted_at is null`)
    return row && known(row)
  },

  /** The role of a user in a workspace, deleted or not. */
  async findRole(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined> {
    const [row] = await queries.many<{ role: WorkspaceRole }>(sql`
      select role from permissions.members where workspace_id = ${workspaceId} and user_id = ${userId}`)
    return row?.role
  },

  /** Throws AlreadyUsed when a living workspace has the slug. */
  insertWorkspace: ({ id, slug, name }: KnownWorkspace) =>
    claimSlug(slug, () =>
      queries.many(sql`insert into permissions.workspaces (id, slug, name) values (${id}, ${slug}, ${name})`),
    ),

  /** Throws AlreadyUsed when another living workspace has the slug. */
  updateWorkspace: ({ id, slug, name }: KnownWorkspace) =>
    claimSlug(slug, () =>
      queries.many(sql`update permissions.workspaces set slug = ${slug}, name = ${name} where id = ${id}`),
    ),

  async findSuspension(workspaceId: string): Promise<Suspension | undefined> {
    const [row] = await queries.many<Suspension>(sql`
      select suspended_reason as reason, suspended_at as at, suspended_by as by from permissions.workspaces
      where id = ${workspaceId} and suspended_at is not null`)
    return row
  },

  /** Those of the workspaces that are suspended now, and why. */
  listSuspended: (workspaceIds: readonly string[]) =>
    queries.many<{ workspaceId: string; reason: string }>(sql`
      select id as "workspaceId", suspended_reason as reason from permissions.workspaces
      where id = any(${workspaceIds}::text[]) and suspended_at is not null`),

  async setSuspension(workspaceId: string, suspension: Suspension | undefined): Promise<void> {
    const { reason = null, at = null, by = null } = suspension ?? {}
    await queries.many(sql`
      update permissions.workspaces set suspended_reason = ${reason}, suspended_at = ${at}, suspended_by = ${by}
      where id = ${workspaceId}`)
  },

  async markDeleted(workspaceId: string, now: Date): Promise<void> {
    await queries.many(sql`update permissions.workspaces set deleted_at = ${now} where id = ${workspaceId}`)
  },

  /** Takes a workspace out of the trash. Throws AlreadyUsed when a living workspace has the slug. */
  restoreWorkspace: ({ id, slug }: Pick<KnownWorkspace, 'id' | 'slug'>) =>
    claimSlug(slug, () =>
      queries.many(sql`update permissions.workspaces set slug = ${slug}, deleted_at = null where id = ${id}`),
    ),

  /** Forgets workspaces and their memberships for good. */
  async removeWorkspaces(workspaceIds: readonly string[]): Promise<void> {
    await queries.many(sql`delete from permissions.workspaces where id = any(${workspaceIds}::text[])`)
  },

  /** Gives a user a role, or another one. */
  async setRole(workspaceId: string, userId: string, role: WorkspaceRole): Promise<void> {
    await queries.many(sql`
      insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, ${userId}, ${role})
      on conflict (workspace_id, user_id) do update set role = excluded.role`)
  },

  /** Takes a user out of every workspace. */
  async removeUser(userId: string): Promise<void> {
    await queries.many(sql`delete from permissions.members where user_id = ${userId}`)
  },
})

async function claimSlug(slug: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Failure('AlreadyUsed', `The workspace slug "${slug}" is taken: choose another one.`, {
      cause: error,
    })
  }
}
