/** Records that the examples of several contracts show. */
export const exampleId = '0199f0c2-6a3e-7b1c-9d55-0a4c7a1f2e33'
export const exampleInstant = '2026-11-21T09:00:00.000Z'
export const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
const workspaceId = 'k3x9w0a1b2c3d4e5'

export const exampleUser = {
  id: exampleId,
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  language: 'en',
  status: 'validated',
  authData: { prismeai: {} },
  mfa: 'none',
  createdAt: exampleInstant,
}

export const exampleWorkspace = {
  id: workspaceId,
  name: 'My shop',
  slug: 'my-shop',
  labels: ['sales'],
  config: { value: { currency: 'EUR' } },
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
  createdBy: exampleId,
  updatedBy: exampleId,
}

export const exampleAutomationInput = {
  slug: 'greet',
  name: 'Greet',
  when: { endpoint: true },
  do: [{ set: { name: 'greeting', value: 'Hello {{body.name}}' } }],
  output: '{{greeting}}',
}

export const exampleAutomation = {
  ...exampleAutomationInput,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
  createdBy: exampleId,
  updatedBy: exampleId,
  checksum: exampleHash,
}

const { do: _, ...listed } = exampleAutomation
/** As a list shows it. */
export const exampleListedAutomation = listed

export const exampleFunctionInput = {
  name: 'total',
  language: 'javascript' as const,
  code: 'export default ({ items }) => items.reduce((sum, { price }) => sum + price, 0)',
  parameters: { items: { type: 'array', items: { type: 'object' } } },
}

export const exampleFunction = {
  ...exampleFunctionInput,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
  createdBy: exampleId,
  updatedBy: exampleId,
  checksum: exampleHash,
}

const { code: _code, ...listedFunction } = exampleFunction
/** As a list shows it. */
export const exampleListedFunction = listedFunction

export const exampleEvent = {
  id: '0199f0c2-7000-7b1c-9d55-0a4c7a1f2e33',
  type: 'order.placed',
  source: { workspaceId, userId: exampleId, serviceTopic: 'topic:runtime:emit', ip: 'private' },
  payload: { order: { id: 5 } },
  createdAt: exampleInstant,
  size: 50,
}

export const exampleProviderInput = {
  slug: 'acme-sso',
  name: 'Acme',
  type: 'oidc',
  config: { client_id: 'platform', client_secret: 'given once', issuer: 'https://sso.acme.example' },
  domains: ['acme.example'],
}

export const exampleProvider = {
  ...exampleProviderInput,
  id: exampleId,
  config: { client_id: 'platform', issuer: 'https://sso.acme.example' },
  enabled: true,
  source: 'database',
  orgSlug: 'acme',
}

export const exampleSigningKey = {
  kid: 'kXb4J0v2',
  alg: 'RS256',
  kind: 'RSA 2048',
  state: 'signing',
  sealedWith: 'main',
  publishedAt: exampleInstant,
  signsSince: exampleInstant,
  rotatedAt: null,
  removedAfter: null,
  sessions: 12,
}

export const exampleRemoval = {
  kid: 'kXb4J0v2',
  state: 'signing',
  sessions: 12,
  users: 9,
  clients: [{ clientId: 'local-client-id', sessions: 12 }],
  successor: null,
}

export const exampleListedKey = {
  _id: exampleId,
  apiKey: 'iak_default_…4f2a',
  name: 'CI',
  rules: [{ action: ['read'], subject: 'workspaces', conditions: { id: workspaceId } }],
  subjectId: workspaceId,
  subjectType: 'workspaces',
  disabled: false,
  expiresAt: null,
  createdBy: exampleId,
  createdAt: exampleInstant,
  updatedAt: exampleInstant,
  lastUsedAt: null,
}

export const exampleListedToken = {
  _id: exampleId,
  name: 'Laptop',
  expiresAt: '2026-12-21T09:00:00Z',
  userId: exampleId,
  createdAt: exampleInstant,
  scopes: ['events:read'],
  lastUsedAt: null,
}

export const exampleGuest = {
  id: exampleId,
  status: 'validated',
  authData: { anonymous: {} },
  createdAt: exampleInstant,
  userId: exampleId,
  sessionId: '0199f0c2-6a3f-7b1c-9d55-0a4c7a1f2e33',
  token: 'eyJhbGciOiJSUzI1NiJ9.…',
  expires: '2026-12-21T09:00:00.000Z',
}
