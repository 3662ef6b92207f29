/** What the operations are about: the beginning of a path → its tag. The longest beginning that fits wins. */
const tagOfPath: readonly [prefix: string, tag: string][] = [
  ['/', 'Platform'],
  ['/v2/readiness', 'Platform'],
  ['/v2/platform/audit', 'Audit'],
  ['/v2/platform/signing-keys', 'Keys'],
  ['/v2/platform/master-keys', 'Keys'],
  ['/oidc', 'OpenID Connect'],
  ['/.well-known', 'OpenID Connect'],
  ['/oidc/jwks', 'OpenID Connect'],
  ['/signin', 'Signing in'],
  ['/v2/login', 'Signing in'],
  ['/v2/signup', 'Accounts'],
  ['/v2/user', 'Accounts'],
  ['/v2/user/sessions', 'Sessions'],
  ['/v2/user/webSessionTicket', 'Sessions'],
  ['/v2/user/accessTokens', 'Access tokens'],
  ['/v2/user/mfa', 'Second factors'],
  ['/v2/login/mfa', 'Second factors'],
  ['/v2/me', 'Accounts'],
  ['/v2/photos', 'Accounts'],
  ['/v2/users', 'Users'],
  ['/v2/contacts', 'Users'],
  ['/v2/orgs/:orgSlug/auth/sso', 'Providers'],
  ['/v2/workspaces', 'Workspaces'],
  ['/v2/workspaces/:workspaceId/automations', 'Automations'],
  ['/v2/functions', 'Functions'],
  ['/v2/workspaces/:workspaceId/schedules', 'Runs'],
  ['/v2/workspaces/:workspaceId/test', 'Runs'],
  ['/v2/workspaces/:workspaceId/webhooks', 'Runs'],
  ['/v2/workspaces/:workspaceId/events', 'Events'],
  ['/v2/workspaces/:workspaceId/subscriptions', 'Webhooks'],
  ['/v2/workspaces/:workspaceId/security/apikeys', 'API keys'],
]

/** Every tag in the order it is shown, with what it is about. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Workspaces: 'The containers of everything people build.',
  Automations:
    'What a workspace does, written in instructions and triggered by events, addresses and schedules.',
  Functions: 'Code of a workspace’s own, which automations call.',
  Runs: 'Starting automations over HTTP, and when time starts them.',
  Events: 'The activity of a workspace: emitted, kept in order, searched.',
  Webhooks: 'Events of a workspace POSTed to an address, signed as Standard Webhooks.',
  'API keys': 'Credentials of machines: each belongs to one workspace and may do what its rules say.',
  Accounts: 'The own account: signing up, profile, password, picture.',
  'Second factors': 'One-time codes after the password, and recovery codes.',
  Sessions: 'Where somebody is signed in, and signing out.',
  'Access tokens': 'Opaque credentials of a person for scripts.',
  'Signing in': 'Ways in: guests, other providers, the pages of a browser.',
  'OpenID Connect': 'The OIDC server that applications sign people in with.',
  Users: 'Finding people, and administering their accounts.',
  Providers: 'OpenID providers people of an organization sign in with.',
  Keys: 'The keys that sign JWTs, and those that encrypt secrets at rest.',
  Audit: 'Who did what: a chain of rows nobody changes unnoticed.',
  Platform: 'The platform itself: whether it is up and ready, its versions, this description.',
}

/** The tag of an operation by its path as contracts write it. */
export function tagOf(path: string): string {
  const fits = (prefix: string) => prefix === '/' || path === prefix || path.startsWith(`${prefix}/`)
  const [, tag] = tagOfPath
    .filter(([prefix]) => fits(prefix))
    .reduce((best, one) => (one[0].length > best[0].length ? one : best), ['', 'Platform'])
  return tag
}
