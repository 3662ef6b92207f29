/** Everything that can be asked for in a workspace (reference permissions 4.2). */
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
