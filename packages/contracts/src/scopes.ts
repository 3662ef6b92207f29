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
