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
