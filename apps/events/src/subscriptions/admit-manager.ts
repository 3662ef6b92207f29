import type { Principal } from '@platform/auth'
import type { Permissions } from '@platform/permissions'

/** Who manages a subscription, and answers for what it gets. */
export interface Manager {
  workspaceId: string
  /** The user, `apiKey:<id>`, or `platform`. */
  id: string
  /** Super administrators; an owner's right is asked for when it matters, so that it ends with the membership. */
  seesAll: boolean
}

/** Whoever may change the workspace manages its subscriptions. Throws as `Permissions.require`. */
export async function admitManager(
  permissions: Permissions,
  principal: Principal,
  address: string,
): Promise<Manager> {
  const { workspace, role, by } = await permissions.require(principal, 'update', 'workspaces', address)
  return { workspaceId: workspace.id, id: idOf(principal), seesAll: by === 'power' && role !== 'owner' }
}

/** Whoever may read the workspace sees its subscriptions and deliveries. Answers the id of the workspace. */
export async function admitReader(
  permissions: Permissions,
  principal: Principal,
  address: string,
): Promise<string> {
  const { workspace } = await permissions.require(principal, 'read', 'workspaces', address)
  return workspace.id
}

function idOf(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId
  return principal.kind === 'apiKey' ? `apiKey:${principal.apiKeyId}` : 'platform'
}
