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
  /** The token of the run that calls the platform itself: the runtime sends it, the gateway takes it. */
  runToken: 'x-platform-run-token',
  /** Set by the gateway only, beside the internal key. */
  internalKey: 'x-platform-internal-key',
  userId: 'x-platform-user-id',
  sessionId: 'x-platform-session-id',
  role: 'x-platform-role',
  clientId: 'x-platform-client-id',
  scope: 'x-platform-scope',
  authData: 'x-platform-auth-data',
  apiKeyId: 'x-platform-api-key-id',
  /** Of a run: the workspace, the id, and how deep it stands. */
  sourceWorkspaceId: 'x-platform-workspace-id',
  sourceRunId: 'x-platform-source-run-id',
  sourceDepth: 'x-platform-source-depth',
  /** The workspace that calls for itself, and for nobody else. */
  authenticatedWorkspaceId: 'x-platform-authenticated-workspace-id',
  /** Of a user whom a run acts for: the workspace of the run, in which alone their role counts fully. */
  lentTo: 'x-platform-lent-to',
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
