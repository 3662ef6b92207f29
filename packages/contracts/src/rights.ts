/** Everything that can be asked for in a workspace. */
export const rightActions = [
  'manage',
  'create',
  'read',
  'update',
  'delete',
  'execute',
  'test',
  'manage_permissions',
  'manage_security',
  'manage_repositories',
  'read_app_dsul',
  'get_usage',
  'aggregate_search',
] as const

/** Kinds of things that belong to one workspace, so that a right to them can be restricted to it. */
export const rightSubjects = ['workspaces', 'pages', 'files', 'apps', 'events', 'automations'] as const

/** Resource scopes of a JWT. */
export const resourceScopes = [
  'workspaces:read',
  'workspaces:write',
  'events:read',
  'events:write',
  'webhooks',
  'pages:read',
  'files:read',
  'files:write',
] as const

export type ResourceScope = (typeof resourceScopes)[number]

/** What an anonymous session carries: everything but workspaces:*. */
export const anonymousScopes: readonly ResourceScope[] = resourceScopes.filter(
  (s) => !s.startsWith('workspaces:'),
)
