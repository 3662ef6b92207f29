/** Header names of the wire, lower case. */
export const headers = {
  correlationId: 'x-correlation-id',
  apiKey: 'x-platform-api-key',
  csrfToken: 'x-platform-csrf-token',
  apiVersion: 'x-platform-api-version',
  apiVersionUsed: 'x-platform-api-version-used',
  apiDeprecation: 'x-platform-api-deprecation',
  /** Of what runs an automation: the id of its run, also where that failed. */
  runId: 'x-platform-run-id',
  /** Set by the gateway only, beside the internal key. */
  internalKey: 'x-platform-internal-key',
  userId: 'x-platform-user-id',
  sessionId: 'x-platform-session-id',
  role: 'x-platform-role',
  clientId: 'x-platform-client-id',
  scope: 'x-platform-scope',
  authData: 'x-platform-auth-data',
  apiKeyId: 'x-platform-api-key-id',
  sourceWorkspaceId: 'x-platform-workspace-id',
  clientIp: 'x-platform-client-ip',
  deadline: 'x-platform-request-deadline',
  /** Milliseconds the request may still wait for databases; without it, all that a request may. */
  storeBudget: 'x-platform-store-budget',
  /** What the gateway calls the instance a request is forwarded to, where later ones must reach the same. */
  instance: 'x-platform-instance',
} as const

/** What a client may send of the x-platform-* family; everything else is removed at the edge. */
export const clientHeaders: readonly string[] = [headers.apiKey, headers.csrfToken, headers.apiVersion]

/** The cookie a browser carries its JWT in. */
export const ACCESS_TOKEN_COOKIE = 'access-token'
