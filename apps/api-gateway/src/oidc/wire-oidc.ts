import type { Cache } from '@platform/cache'
import type { Database } from '@platform/database'
import type { Mount, Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import type { Sessions } from '../sessions/sessions.ts'
import { attemptLimits, noAttemptLimits } from '../sign-in/attempt-limits.ts'
import { codeExchange } from '../sign-in/exchange-code.ts'
import { finishSignIn } from '../sign-in/finish-sign-in.ts'
import { startSignIn } from '../sign-in/start-sign-in.ts'
import type { Verifier } from '../signing-keys/key-ring.ts'
import type { Passwords } from '../users/passwords.ts'
import type { UserRecord } from '../users/user.ts'
import { accessTokenReader } from './access-token-reader.ts'
import { oidcListener, wellKnownListener } from './oidc-listener.ts'
import { oidcRecordStore } from './oidc-record-store.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { liveProvider, type SigningKeys } from './provider.ts'
import { showInteraction } from './show-interaction.ts'
import { signInStore } from './sign-in-store.ts'
import { signIns } from './sign-ins.ts'
import { submitLogin } from './submit-login.ts'
import { sweepOidcRecords } from './sweep-oidc-records.ts'

interface Needs {
  database: Database
  cache: Cache
  keyRing: SigningKeys & { findOrReload(kid: string): Promise<Verifier | undefined> }
  sessions: Sessions
  users: { find(id: string): Promise<UserRecord | undefined> }
  passwords: Pick<Passwords, 'check'>
  settings: OidcSettings
  /** False switches the limits of sign-in attempts off. */
  attemptsLimited: boolean
  clock: Clock
  log: Logger
}

/** The OIDC server and its pages, for the composition root. The mounts come after the route of the key set. */
export interface WiredOidc {
  /** Ends all sessions of a user and whatever could start a new one. */
  signOutEverywhere: (userId: string) => Promise<void>
  routes: Route[]
  mounts: Mount[]
  jobs: Job[]
}

export function wireOidc(needs: Needs): WiredOidc {
  const { settings, clock, sessions, keyRing, users, passwords, log } = needs
  const records = oidcRecordStore(needs.database)
  const store = signInStore(needs.database)
  const readAccessToken = accessTokenReader({ keyRing, sessions, settings, clock })
  const grants = signIns({ records, store, sessions, settings, clock })
  const trustedOrigins = [settings.origin, ...settings.consoleUrls.map((url) => new URL(url).origin)]
  const live = liveProvider({
    settings,
    records,
    signInStore: store,
    signIns: grants,
    readAccessToken,
    users,
    keyRing,
    trustedOrigins,
    log,
  })
  const { provider, listener } = live
  const limits = needs.attemptsLimited ? attemptLimits({ cache: needs.cache }) : noAttemptLimits
  const interactions = {
    show: showInteraction({ provider, settings }),
    submit: submitLogin({ provider, settings, passwords, limits }),
  }
  const exchange = codeExchange(listener, settings.origin)
  return {
    signOutEverywhere: grants.signOutEverywhere,
    routes: [startSignIn({ settings }), finishSignIn({ settings, exchange, readAccessToken, users })],
    mounts: [
      { path: '/oidc', listener: oidcListener({ settings, provider: listener, interactions }) },
      { path: '/.well-known', listener: wellKnownListener({ settings, provider: listener }) },
    ],
    jobs: [sweepOidcRecords({ stores: [records, store], clock })],
  }
}
