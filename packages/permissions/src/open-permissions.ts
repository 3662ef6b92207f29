import type { Principal } from '@platform/auth'
import { type Database, migrate } from '@platform/database'
import { type Clock, Failure } from '@platform/kernel'
import { abilityOf } from './ability.ts'
import { permissionStore } from './permission-store.ts'
import type { Action, KnownWorkspace, Permissions, Subject, WorkspaceRole } from './permissions.ts'
import { recentAnswers } from './recent-answers.ts'
import { isAllPowerful, memberIdOf, rulesOf } from './rules.ts'

/** Permissions of one process. */
export interface OpenPermissions extends Permissions {
  /** Forgets what was cached here, so that a caller reads what it has just written. */
  forget(): void
}

const SLUG = 'slug:'

/** The one answer for a workspace that is missing, deleted, or not the caller's to know (404). */
export const workspaceNotFound = (): Failure =>
  new Failure(
    'ObjectNotFoundError',
    'There is no such workspace: check its id or slug, and that you are a member of it.',
  )

/**
 * Opens the permissions kept in `database`, migrating schema `permissions` when this process is the first to start. Rejects with
 * DatabaseError when the database can't answer.
 */
export async function openPermissions(options: {
  database: Database
  clock: Clock
}): Promise<OpenPermissions> {
  const { database, clock } = options
  await migrate(database, 'permissions', new URL('../migrations/', import.meta.url))
  const store = permissionStore(database)
  const workspaces = recentAnswers<KnownWorkspace | undefined>(clock)
  const roles = recentAnswers<WorkspaceRole | undefined>(clock)

  const findWorkspace = (address: string) =>
    workspaces.get(address, () =>
      address.startsWith(SLUG)
        ? store.findWorkspaceBySlug(address.slice(SLUG.length))
        : store.findWorkspaceById(address),
    )
  const roleOf = (userId: string, workspaceId: string) =>
    roles.get(`${workspaceId}\n${userId}`, () => store.findRole(userId, workspaceId))

  return {
    findWorkspace,
    roleOf,
    forget() {
      workspaces.clear()
      roles.clear()
    },
    async require(principal, action, subject, address) {
      const workspace = await findWorkspace(address)
      if (workspace === undefined) throw workspaceNotFound()
      const userId = memberIdOf(principal)
      const asks = userId !== undefined && !isAllPowerful(principal)
      const role = asks ? await roleOf(userId, workspace.id) : undefined
      decide(principal, role, action, subject)
      return { workspace, role }
    },
  }
}

/** Throws 404 for callers without a membership, who may not even know the workspace, and 403 for members. */
function decide(
  principal: Principal | undefined,
  role: WorkspaceRole | undefined,
  action: Action,
  subject: Subject,
): void {
  if (abilityOf(rulesOf(principal, role)).can(action, subject)) return
  if (role === undefined) throw workspaceNotFound()
  const message = `The role ${role} of this workspace does not allow to ${action} ${subject}: ask an owner.`
  throw new Failure('ForbiddenError', message, { details: { action, subject, role } })
}
