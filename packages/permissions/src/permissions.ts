import type { Principal } from '@platform/auth'
import type { rightActions, rightSubjects } from '@platform/contracts'

export type Action = (typeof rightActions)[number]
export type Subject = (typeof rightSubjects)[number]

export type WorkspaceRole = 'owner' | 'editor'

/** A workspace as every service knows it: its id, slug and name. */
export interface KnownWorkspace {
  id: string
  slug: string
  name: string
}

/** A workspace the caller may act on, and why. */
export interface Admission {
  workspace: KnownWorkspace
  /** The membership of the user; undefined for super administrators, for API keys and for callers without one. */
  role: WorkspaceRole | undefined
  /**
   * What let the caller in: being the platform or a super administrator, the membership, the API key, or what
   * everybody may.
   */
  by: 'power' | 'role' | 'apiKey' | 'everybody'
}

/** What callers may do in workspaces (reference permissions 4.5). Answers come from a cache of at most one second. */
export interface Permissions {
  /** Finds by id or `slug:<slug>`; undefined when it never was or is deleted. */
  findWorkspace(address: string): Promise<KnownWorkspace | undefined>
  roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined>
  /**
   * Admits the caller or throws: 404 ObjectNotFoundError for a workspace they may not know, byte for byte the same as
   * for a missing one, 403 ForbiddenError where they may know it but not do this, 401 AuthenticationError when the
   * API key has ended meanwhile. The rules of a key beside a user are added to the user's, in the workspace of the
   * key only (decisions C1).
   */
  require(
    principal: Principal | undefined,
    action: Action,
    subject: Subject,
    address: string,
  ): Promise<Admission>
}
