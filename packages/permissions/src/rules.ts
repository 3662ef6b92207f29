import type { Principal, WorkspaceRole } from '@platform/auth'
import type { Rule } from './ability.ts'

/** Everything, everywhere: super administrators and the platform itself. */
const everything: readonly Rule[] = [{ action: 'manage', subject: 'all' }]

/**
 * What anybody may do in a workspace that exists: call a URL trigger. Whether this automation wants more is its own
 * `authorizations.action`, which the runtime asks about.
 */
export const everybody: readonly Rule[] = [{ action: 'execute', subject: 'automations' }]

/** Rights of the workspace roles. */
const ofRole: Readonly<Record<WorkspaceRole, readonly Rule[]>> = {
  owner: [
    ...everybody,
    {
      action: 'manage',
      subject: ['workspaces', 'automations', 'events', 'files', 'pages', 'apps'],
    },
  ],
  editor: [
    ...everybody,
    { action: ['read', 'update'], subject: ['workspaces', 'apps', 'pages'] },
    { action: ['create', 'read', 'update', 'delete', 'execute', 'test'], subject: 'automations' },
    { action: ['create', 'read'], subject: 'events' },
    { action: 'manage', subject: 'files' },
  ],
}

/** True for callers no workspace can keep out. */
export const isAllPowerful = (principal: Principal | undefined): boolean =>
  principal?.kind === 'internal' || (principal?.kind === 'user' && principal.superAdmin)

/**
 * The user whose memberships count. API keys and anonymous sessions have none: they stand where everybody stands, and
 * a key adds the rules it carries.
 */
export const memberIdOf = (principal: Principal | undefined): string | undefined =>
  principal?.kind === 'user' && !principal.anonymous ? principal.userId : undefined

/** The rules of a role; of no role, what everybody may. */
export const roleRules = (role: WorkspaceRole | undefined): readonly Rule[] =>
  role === undefined ? everybody : ofRole[role]

/** The rules that decide for this caller in one workspace, without an API key; what no rule allows is denied. */
export const rulesOf = (
  principal: Principal | undefined,
  role: WorkspaceRole | undefined,
): readonly Rule[] => (isAllPowerful(principal) ? everything : roleRules(role))
