import type { UserPrincipal } from '@platform/auth'
import type { Admission, Permissions } from '@platform/permissions'

/**
 * Who administers the keys of a workspace: its owners, and super administrators. A key beside the user counts for
 * nothing here, whatever its rules say (decisions C5).
 */
export const admitAdministrator = (
  permissions: Permissions,
  user: UserPrincipal,
  address: string,
): Promise<Admission> =>
  permissions.require({ ...user, apiKeyId: undefined }, 'manage_security', {
    type: 'workspaces',
    workspace: address,
  })
