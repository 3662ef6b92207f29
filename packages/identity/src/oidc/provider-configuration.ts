import type { AsymmetricSigningAlgorithm, Configuration, JWKS, UnknownObject } from 'oidc-provider'
import type { UserRecord } from '../users/user.ts'
import type { ReadAccessToken } from './access-token-reader.ts'
import { claimsByScope, type MfaOf, personalScopes, toAccount } from './account.ts'
import { oidcAdapter } from './adapter.ts'
import type { ClientRecordNeeds } from './client-records.ts'
import { extraClientMetadata, registrationFeatures } from './client-registration.ts'
import { originsOf } from './client-rights.ts'
import { builtInClients } from './clients.ts'
import type { ConsentStore } from './consent-store.ts'
import type { GrantSessions } from './grant-sessions.ts'
import { grantFor } from './grants.ts'
import { policyOf } from './interaction-policy.ts'
import type { OidcRecordStore } from './oidc-record-store.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { renderError, renderSignedOut, renderSignOut } from './render-pages.ts'
import { resourceIndicators } from './resource-server.ts'
import { exactClaims, sessionClaim } from './session-claim.ts'
import type { SignInStore } from './sign-in-store.ts'

/** What the OIDC server works with. */
export interface ProviderNeeds extends ClientRecordNeeds {
  settings: OidcSettings
  records: OidcRecordStore
  signInStore: SignInStore
  grantSessions: GrantSessions
  readAccessToken: ReadAccessToken
  users: { find(id: string): Promise<UserRecord | undefined> }
  consents: Pick<ConsentStore, 'covers'>
  mfaOf: MfaOf
}

const CODE_SECONDS = 60
const PROGRAM_TOKEN_SECONDS = 600
const ID_TOKEN_SECONDS = 3600
const INTERACTION_SECONDS = 3600
/** A grant outlives the last refresh token issued under it. */
const GRANT_SLACK_SECONDS = 3600

/** The whole configuration of the OIDC server. The first key of `jwks` signs. */
export function providerConfiguration(needs: ProviderNeeds, jwks: JWKS): Configuration {
  const { settings, grantSessions, consents } = needs
  const alg = (jwks.keys[0]?.alg ?? 'RS256') as AsymmetricSigningAlgorithm
  return {
    adapter: oidcAdapter(needs),
    jwks,
    clients: builtInClients(settings),
    extraClientMetadata: extraClientMetadata(settings),
    fetch: fetchNothing,
    clientDefaults: { id_token_signed_response_alg: alg },
    enabledJWA: { idTokenSigningAlgValues: algsOf(jwks), userinfoSigningAlgValues: algsOf(jwks) },
    findAccount: async (_ctx, sub) => toAccount(await needs.users.find(sub), needs.mfaOf),
    loadExistingGrant: grantFor({ apiUrl: settings.apiUrl, consents }),
    interactions: {
      policy: policyOf(grantSessions),
      url: (_ctx, { uid }) => `${settings.issuer}/interaction/${uid}`,
    },
    extraTokenClaims: sessionClaim(grantSessions, jwks.keys[0]?.kid),
    formats: { customizers: { jwt: exactClaims } },
    scopes: personalScopes,
    claims: { ...claimsByScope, acr: null, sid: null, auth_time: null, iss: null },
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    allowOmittingSingleRegisteredRedirectUri: false,
    clockTolerance: 5,
    // Tokens end with their session, which `signed_out` and signing out look after.
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    rotateRefreshToken: true,
    clientBasedCORS: (_ctx, origin, client) =>
      settings.trustedOrigins.includes(origin) || originsOf(client).includes(origin),
    cookies: cookiesOf(settings),
    discovery: { ui_locales_supported: ['en', 'fr'] },
    features: featuresOf(needs, alg),
    renderError: renderError(settings),
    revokeGrantPolicy: () => true,
    ttl: ttlOf(settings),
  }
}

/** Off is what would let a token mean more, or less, than the nine claims say. */
const featuresOf = (
  { settings, grantSessions }: ProviderNeeds,
  alg: string,
): NonNullable<Configuration['features']> => ({
  ...registrationFeatures(settings),
  clientCredentials: { enabled: true },
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  introspection: { enabled: true, allowedPolicy: isOwnToken },
  revocation: { enabled: true, allowedPolicy: endSessionOf(grantSessions) },
  userinfo: { enabled: true },
  resourceIndicators: resourceIndicators(settings, () => alg),
  rpInitiatedLogout: {
    enabled: true,
    logoutSource: renderSignOut(settings),
    postLogoutSuccessSource: renderSignedOut(settings),
  },
})

/** Nothing a client says makes the server connect to anywhere. */
const fetchNothing = async (): Promise<never> => {
  throw new Error('The OIDC server opens no connections.')
}

/** A client may ask about what it was given itself. */
const isOwnToken = (
  _ctx: unknown,
  client: { clientId: string },
  token: { clientId?: string | undefined },
): boolean => token.clientId === client.clientId

/** And revoke it: of a JWT that means the end of its session, before the server answers that it is done. */
const endSessionOf =
  (grantSessions: Pick<GrantSessions, 'endSession'>) =>
  async (ctx: unknown, client: { clientId: string }, token: RevocableToken): Promise<boolean> => {
    if (!isOwnToken(ctx, client, token)) return false
    const sessionId = token.extra?.prismeaiSessionId
    if (typeof sessionId === 'string') await grantSessions.endSession(sessionId)
    return true
  }

interface RevocableToken {
  clientId?: string | undefined
  extra?: UnknownObject | undefined
}

const cookiesOf = ({ cookieSecret, cookies }: OidcSettings): NonNullable<Configuration['cookies']> => {
  const options = { httpOnly: true, sameSite: 'lax', secure: cookies.secure, signed: true } as const
  return {
    names: { session: '_sessionv2', interaction: '_interactionv2', resume: '_interaction_resumev2' },
    long: options,
    short: options,
    keys: [cookieSecret],
  }
}

const ttlOf = (settings: OidcSettings): NonNullable<Configuration['ttl']> => ({
  AccessToken: settings.accessTokenSeconds,
  AuthorizationCode: CODE_SECONDS,
  ClientCredentials: PROGRAM_TOKEN_SECONDS,
  IdToken: ID_TOKEN_SECONDS,
  Interaction: INTERACTION_SECONDS,
  Session: settings.sessionSeconds,
  Grant: settings.refreshTokenSeconds + GRANT_SLACK_SECONDS,
  // A rotated token lasts as long as the one it replaces would have.
  RefreshToken: (ctx) => ctx.oidc.entities.RotatedRefreshToken?.remainingTTL ?? settings.refreshTokenSeconds,
})

const algsOf = (jwks: JWKS): AsymmetricSigningAlgorithm[] =>
  [...new Set(jwks.keys.map(({ alg }) => alg ?? 'RS256'))] as AsymmetricSigningAlgorithm[]
