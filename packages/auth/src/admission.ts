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
