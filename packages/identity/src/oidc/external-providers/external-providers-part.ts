import type { Audit } from '@platform/audit'
import { ConfigError, type Env, list, readConfig } from '@platform/config'
import type { Database } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { type Outbound, openOutbound } from '@platform/outbound'
import type { Outbox } from '@platform/outbox'
import type { Part } from '@platform/service'
import { z } from 'zod'
import type { SignInLog } from '../../audit/sign-in-log.ts'
import type { MintJwt } from '../../keys/mint-jwt.ts'
import type { Opened } from '../../opened.ts'
import type { CookiePolicy } from '../../sessions/access-token-cookie.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { OidcSettings } from '../oidc-settings.ts'
import {
  createAuthProvider,
  deleteAuthProvider,
  getAuthProvider,
  listAuthProviders,
  updateAuthProvider,
} from './auth-provider-operations.ts'
import { authProviderStore } from './auth-provider-store.ts'
import { completeSignIn } from './complete-sign-in.ts'
import { exchangeToken } from './exchange-token.ts'
import { type ExternalSignIn, externalSignIn } from './external-sign-in.ts'
import { finishLogin, finishLoginByForm } from './finish-login.ts'
import { linkAccount } from './link-account.ts'
import { linkedAccountStore } from './linked-account-store.ts'
import { listLoginProviders } from './list-login-providers.ts'
import { pendingSignInStore, sweepPendingSignIns } from './pending-sign-in-store.ts'
import { providerChanges } from './provider-changes.ts'
import { readProviderFile } from './provider-file.ts'
import { knownProviders } from './providers.ts'
import { relyingParty } from './relying-party.ts'
import { startLogin } from './start-login.ts'

interface Needs {
  env: Env
  settings: OidcSettings
  /** Client of sessions that begin with a token of a provider. */
  clientId: string
  /** What people may do with passwords of this platform. */
  localSignin: boolean
  localSignup: boolean
  database: Database
  outbox: Outbox
  users: UserStore
  sessions: Sessions
  mintJwt: MintJwt
  cookies: CookiePolicy
  audit: Audit
  signInLog: SignInLog
  masterKeys: MasterKeyRing
  /** Providers may be http where the platform is developed. */
  allowHttp: boolean
  opened: Opened
  clock: Clock
}

/** Signing in at other OpenID providers. */
export interface ExternalProviders {
  /** For the pages of an authorization. */
  external: ExternalSignIn
  part: Part
}

/** Throws ConfigError when the file of the platform's providers, or what may be called, can't be used. */
export function openExternalProviders(needs: Needs): ExternalProviders {
  const { env, settings, database, outbox, users, audit, signInLog, masterKeys, allowHttp, clock } = needs
  const { file, outboundAllowed } = readConfig(authProvidersEnv, env)
  const outbound = needs.opened.use(outboundTo(outboundAllowed))
  const store = authProviderStore(database, masterKeys)
  const logins = pendingSignInStore(database, masterKeys)
  const providers = knownProviders(
    file === undefined ? [] : readProviderFile(file, { env, allowHttp }),
    store,
  )
  const callback = `${settings.apiUrl}/login/callback`
  const party = relyingParty({ outbound, redirectUri: callback, allowHttp })
  const link = linkAccount({ database, users, linkedAccounts: linkedAccountStore(database), audit })
  const binding = { path: new URL(callback).pathname, secure: settings.cookies.secure }
  const changes = providerChanges({ database, outbox, audit, outbound, providers, allowHttp })
  const kept = { store, providers, changes }
  const complete = completeSignIn({
    providers,
    relyingParty: party,
    logins,
    linkAccount: link,
    signInLog,
    settings,
    binding,
    clock,
  })
  return {
    external: externalSignIn({ providers, logins, settings, clock }),
    part: {
      routes: [
        listLoginProviders({ providers, localSignin: needs.localSignin, localSignup: needs.localSignup }),
        startLogin({ providers, relyingParty: party, logins, settings, binding, clock }),
        finishLogin({ completeSignIn: complete }),
        finishLoginByForm({ settings }),
        tokenExchange(needs, { providers, relyingParty: party, linkAccount: link }),
        listAuthProviders(kept),
        createAuthProvider(kept),
        getAuthProvider(kept),
        updateAuthProvider(kept),
        deleteAuthProvider(kept),
      ],
      jobs: [sweepPendingSignIns({ logins, clock })],
    },
  }
}

const tokenExchange = (
  { sessions, mintJwt, signInLog, clock, cookies, clientId, settings }: Needs,
  found: Pick<Parameters<typeof exchangeToken>[0], 'providers' | 'relyingParty' | 'linkAccount'>,
) =>
  exchangeToken({
    ...found,
    sessions,
    mintJwt,
    signInLog,
    clock,
    cookies,
    clientId,
    cookieSecret: settings.cookieSecret,
  })

/** Metadata, keys and tokens are small, and somebody waits for them. */
function outboundTo(allowed: readonly string[]): Outbound {
  try {
    return openOutbound({ allowed, timeoutMs: 10_000, maxResponseBytes: 1_048_576 })
  } catch (error) {
    throw new ConfigError([`OUTBOUND_ALLOWED: ${error instanceof Error ? error.message : String(error)}`])
  }
}

/** What external OpenID providers read. */
export const authProvidersEnv = z
  .object({
    AUTH_PROVIDERS_CONFIG: z
      .string()
      .optional()
      .describe('YAML file of the OpenID providers of the platform; without it there are none.'),
    OUTBOUND_ALLOWED: list('').describe(
      'Hosts, addresses and ranges that may be called although they are private, for example idp.internal,10.1.0.0/16.',
    ),
  })
  .transform((env) => ({ file: env.AUTH_PROVIDERS_CONFIG, outboundAllowed: env.OUTBOUND_ALLOWED }))
