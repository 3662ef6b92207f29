import type { RawRuleOf } from '@casl/ability'
import type { Principal } from '@platform/auth'
import type { AppAbility } from './ability.ts'
import type { WorkspaceRole } from './permissions.ts'

type Rule = RawRuleOf<AppAbility>

/** Everything, everywhere: super administrators and the platform itself. */
const everything: readonly Rule[] = [{ action: 'manage', subject: 'all' }]

/**
 * What anybody may do in a workspace that exists: call a URL trigger. Whether this automation wants more is its own
 * `authorizations.action`, which the runtime asks about.
 */
const everybody: readonly Rule[] = [{ action: 'execute', subject: 'automations' }]

/** Rights of the workspace roles (reference permissions 4.5). */
const ofRole: Readonly<Record<WorkspaceRole, readonly Rule[]>> = {
  owner: [
    ...everybody,
    { action: 'manage', subject: 'workspaces' },
    { action: 'manage', subject: 'automations' },
    { action: 'manage', subject: 'events' },
  ],
  editor: [
    ...everybody,
    { action: ['read', 'update'], subject: 'workspaces' },
    { action: ['create', 'read', 'update', 'delete', 'execute', 'test'], subject: 'automations' },
    { action: ['create', 'read'], subject: 'events' },
  ],
}

/** True for callers no workspace can keep out. */
export const isAllPowerful = (principal: Principal | undefined): boolean =>
  principal?.kind === 'internal' || (principal?.kind === 'user' && principal.superAdmin)

/**
 * The user whose memberships count. API keys and anonymous sessions have none: they stand where everybody stands. Rules that a key
 * carries itself would join in `rulesOf`.
 */
export const memberIdOf = (principal: Principal | undefined): string | undefined =>
  principal?.kind === 'user' && !principal.anonymous ? principal.userId : undefined

/** The rules that decide for this caller in one workspace; what no rule allows is denied. */
export function rulesOf(principal: Principal | undefined, role: WorkspaceRole | undefined): readonly Rule[] {
  if (isAllPowerful(principal)) return everything
  return role === undefined ? everybody : ofRole[role]
}
