import type { UserPrincipal } from '@platform/auth'
import type { ApiKeyRuleInput } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import {
  type Admission,
  grantRules,
  type Permissions,
  requireScopesFor,
  rulesOf,
} from '@platform/permissions'
import { requireFuture } from './api-key.ts'

/**
 * Admits those who administer the keys of a workspace: its owners, and super administrators. An API key sent beside the
 * user counts for nothing here, whatever its rules say.
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

/**
 * Admits an administrator who gives a key its rights or changes it, and answers the rights that were asked for, if
 * any were. Throws InvalidSecurity and ForbiddenError as `grantRules` does, InsufficientScope for rights beyond the
 * token’s scopes, RequestValidationError for an expiry that is over.
 */
export async function admitGrant(
  { permissions, clock }: { permissions: Permissions; clock: Clock },
  user: UserPrincipal,
  address: string,
  asked: { rules?: readonly ApiKeyRuleInput[] | undefined; expiresAt?: string | null | undefined },
) {
  const { workspace } = await admitAdministrator(permissions, user, address)
  const now = clock.now()
  requireFuture(asked.expiresAt, now)
  const role = await permissions.roleOf(user.userId, workspace.id)
  const rules = asked.rules && grantRules(asked.rules, workspace.id, rulesOf(user, role))
  requireScopesFor(asked.rules ?? [], user.scopes)
  return { workspace, role, rules, now }
}
