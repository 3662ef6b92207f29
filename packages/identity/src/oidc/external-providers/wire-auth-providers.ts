import { ConfigError, readConfig } from '@platform/config'
import type { Route } from '@platform/http'
import { type Outbound, openOutbound } from '@platform/outbound'
import type { Job } from '@platform/service'
import type { IdentityBase } from '../../identity-base.ts'
import type { MintJwt } from '../../keys/mint-jwt.ts'
import type { KeyRing } from '../../keys/signing-keys/key-ring.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import { authProviderStore } from './auth-provider-store.ts'
import { authProvidersEnv } from './auth-providers-env.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { createAuthProvider } from './create-auth-provider.ts'
import { deleteAuthProvider } from './delete-auth-provider.ts'
import { exchangeToken } from './exchange-token.ts'
import { type ExternalSignIn, externalSignIn } from './external-sign-in.ts'
import { finishLogin } from './finish-login.ts'
import { finishLoginByForm } from './finish-login-by-form.ts'
import { getAuthProvider } from './get-auth-provider.ts'
import { linkAccount } from './link-account.ts'
import { linkedAccountStore } from './linked-account-store.ts'
import { listAuthProviders } from './list-auth-providers.ts'
import { listLoginProviders } from './list-login-providers.ts'
import { pendingSignInStore } from './pending-sign-in-store.ts'
import { providerChanges } from './provider-changes.ts'
import { readProviderFile } from './provider-file.ts'
import { knownProviders } from './providers.ts'
import { relyingParty } from './relying-party.ts'
import { startLogin } from './start-login.ts'
import { sweepPendingSignIns } from './sweep-pending-sign-ins.ts'
import { updateAuthProvider } from './update-auth-provider.ts'

interface Needs extends IdentityBase {
  settings: OidcSettings
  /** What people may do with passwords of this platform. */
  local: { localSignIn: boolean; localSignUp: boolean }
  users: UserStore
  sessions: Sessions
  keyRing: KeyRing
  mintJwt: MintJwt
}

/** Signing in at other OpenID providers, for the composition root. */
export interface WiredAuthProviders {
  /** For the pages of an authorization. */
  external: ExternalSignIn
  routes: Route[]
  jobs: Job[]
}

/** Throws ConfigError when the file of the platform's providers, or what may be called, can't be used. */
export function wireAuthProviders(base: Needs): WiredAuthProviders {
  const { file, outboundAllowed } = readConfig(authProvidersEnv, base.env)
  const { clock, database, config, settings } = base
  const allowHttp = base.development
  const outbound = base.opened.use(outboundTo(outboundAllowed))
  const store = authProviderStore(database, base.masterKeys)
  const logins = pendingSignInStore(database, base.masterKeys)
  const ofPlatform = file === undefined ? [] : readProviderFile(file, { env: base.env, allowHttp })
  const providers = knownProviders(ofPlatform, store)
  const callback = `${settings.apiUrl}/login/callback`
  const parts = {
    ...base,
    store,
    logins,
    providers,
    relyingParty: relyingParty({ outbound, redirectUri: callback, allowHttp }),
    linkAccount: linkAccount({ ...base, linkedAccounts: linkedAccountStore(database) }),
    binding: { path: new URL(callback).pathname, secure: settings.cookies.secure },
    changes: providerChanges({ ...base, outbound, providers, allowHttp }),
    clientId: config.studioClientId,
    localSignin: base.local.localSignIn,
    localSignup: base.local.localSignUp,
    cookieSecret: settings.cookieSecret,
  }
  return {
    external: externalSignIn({ providers, logins, settings, clock }),
    routes: routesOf(parts),
    jobs: [sweepPendingSignIns({ logins, clock })],
  }
}

/** Metadata, keys and tokens are small, and somebody waits for them. */
function outboundTo(allowed: readonly string[]): Outbound {
  try {
    return openOutbound({ allowed, timeoutMs: 10_000, maxResponseBytes: 1_048_576 })
  } catch (error) {
    throw new ConfigError([`OUTBOUND_ALLOWED: ${error instanceof Error ? error.message : String(error)}`])
  }
}

type Parts = Parameters<typeof startLogin>[0] &
  Parameters<typeof listLoginProviders>[0] &
  Parameters<typeof exchangeToken>[0] &
  Parameters<typeof completeSignIn>[0] &
  Parameters<typeof createAuthProvider>[0]

const routesOf = (parts: Parts): Route[] => [
  listLoginProviders(parts),
  startLogin(parts),
  finishLogin({ completeLogin: completeSignIn(parts) }),
  finishLoginByForm(parts),
  exchangeToken(parts),
  listAuthProviders(parts),
  createAuthProvider(parts),
  getAuthProvider(parts),
  updateAuthProvider(parts),
  deleteAuthProvider(parts),
]
