import type { Principal } from '@platform/auth'

export type Action = 'create' | 'read' | 'update' | 'delete' | 'execute' | 'test' | 'manage'
export type Subject = 'workspaces' | 'automations' | 'events'
export type WorkspaceRole = 'owner' | 'editor'

/** A workspace as every service knows it: its id, slug and name. */
export interface KnownWorkspace {
  id: string
  slug: string
  name: string
}

/** A workspace the caller may act on, and in which role. */
export interface Admission {
  workspace: KnownWorkspace
  /** undefined for super administrators and for callers without a membership (public URL triggers). */
  role: WorkspaceRole | undefined
}

/** What callers may do in workspaces (reference permissions 4.5). Answers come from a cache of at most one second. */
export interface Permissions {
  /** Finds by id or `slug:<slug>`; undefined when it never was or is deleted. */
  findWorkspace(address: string): Promise<KnownWorkspace | undefined>
  roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined>
  /**
   * Admits the caller or throws: 404 ObjectNotFoundError for a workspace they may not know, byte for byte the same as for a missing
   * one, 403 ForbiddenError where they may know it but not do this.
   */
  require(
    principal: Principal | undefined,
    action: Action,
    subject: Subject,
    address: string,
  ): Promise<Admission>
}
