import type { Admission, KnownWorkspace, Principal, WorkspaceRole } from '@platform/auth'
import type { Permission } from '@platform/contracts'
import { Failure } from '@platform/kernel'

export type Action = Permission['action']
export type Subject = Permission['on']

/** What a question is about: a kind of thing, in the workspace that has this id or is addressed `slug:<slug>`. */
export interface Resource {
  type: Subject
  workspace: string
}

/** What callers may do in workspaces. Answers come from a cache of at most one second. */
export interface Permissions {
  /** Finds by id or `slug:<slug>`; undefined when it never was or is deleted. */
  findWorkspace(address: string): Promise<KnownWorkspace | undefined>
  roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined>
  /**
   * Admits the caller or throws: 404 ObjectNotFoundError for a workspace they may not know, byte for byte the same as
   * for a missing one, 403 ForbiddenError where they may know it but not do this, 401 AuthenticationError when the
   * API key has ended meanwhile. The rules of a key beside a user are added to the user's, in the workspace of the
   * key only.
   */
  require(principal: Principal | undefined, action: Action, resource: Resource): Promise<Admission>
}

/** The same 404 for a workspace that is missing, deleted, or not the caller's to know. */
export const workspaceNotFound = (): Failure =>
  new Failure(
    'ObjectNotFoundError',
    'There is no such workspace: check its id or slug, and that you are a member of it.',
  )
