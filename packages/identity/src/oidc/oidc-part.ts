import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Mount } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Limits } from '@platform/rate-limits'
import type { Part } from '@platform/service'
import type { Verifier } from '@platform/signing-keys'
import type { SecondFactors } from '../credentials/second-factors/second-factors.ts'
import {
  type BrowserSession,
  findBrowserSession,
  type LeaveSession,
  leaveSession,
} from '../sessions/leave-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { accessTokenReader } from './access-token-reader.ts'
import { attemptLimits } from './attempt-limits.ts'
import { consentStore } from './consent-store.ts'
import { codeExchange } from './exchange-code.ts'
import { continueExternalSignIn } from './external-providers/continue-external-sign-in.ts'
import type { ExternalSignIn } from './external-providers/external-sign-in.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { type GrantSessions, grantSessions } from './grant-sessions.ts'
import { knownDevices } from './known-devices.ts'
import type { SignInSettings } from './oidc-env.ts'
import { type Interactions, oidcListener, wellKnownListener } from './oidc-listener.ts'
import { oidcRecordStore } from './oidc-record-store.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { liveProvider, type SigningKeys } from './provider.ts'
import { showConsent } from './show-consent.ts'
import type { SignInNeeds, SignInOffers } from './sign-in-needs.ts'
import { signInPages } from './sign-in-pages.ts'
import { signInStore } from './sign-in-store.ts'
import { startSignIn } from './start-sign-in.ts'
import { submitConsent } from './submit-consent.ts'
import { sweepOidcRecords } from './sweep-oidc-records.ts'

interface Needs {
  database: Database
  settings: OidcSettings
  /** How people sign in. */
  signIn: SignInSettings
  /** Browsers that have signed in before are known by a cookie with this secret. */
  cookieSecret: string
  secureCookies: boolean
  keyRing: SigningKeys & { findOrReload(kid: string): Promise<Verifier | undefined> }
  sessions: Sessions
  users: SignInNeeds['users']
  passwords: SignInNeeds['passwords']
  secondFactors: SignInNeeds['secondFactors'] & Pick<SecondFactors, 'methodOf'>
  /** What other parts offer on the sign-in page. */
  offers: SignInOffers
  /** Who has come back from another OpenID provider. */
  external: Pick<ExternalSignIn, 'takeTicket'>
  /** Makes the pages about accounts: those of an authorization, and those mailed links lead to. */
  accountPages: (server: {
    provider: SignInNeeds['provider']
    finishSignUp: Steps['afterPassword']
  }) => OtherPages
  /** True where the first administrator was given the sample workspace. */
  hasSample: boolean
  audit: Audit
  signInLog: SignInNeeds['signInLog']
  rateLimiter: Limits
  masterKeys: MasterKeyRing
  clock: Clock
  log: Logger
}

interface OtherPages {
  interactions: Interactions
  mounts: Mount[]
}

type Steps = ReturnType<typeof signInPages>

/** The OIDC server and its pages. The mounts come after the route of the key set. */
export interface OpenOidc {
  /** Ends a session, or all of a user, and whatever could give another JWT. */
  endSession: GrantSessions['endSession']
  signOutEverywhere: GrantSessions['signOutEverywhere']
  /** Ends the session whose cookie is about to be replaced. */
  leaveSession: LeaveSession
  browserSession: BrowserSession
  /** Finishes a sign-in that waits for a code. */
  continueSignIn: Steps['continueSignIn']
  part: Required<Pick<Part, 'routes' | 'mounts' | 'jobs'>>
}

export function openOidc(needs: Needs): OpenOidc {
  const { settings, users, rateLimiter, clock } = needs
  const server = openServer(needs)
  const { provider, listener, grants, consents, readAccessToken, leave } = server
  const steps = stepsOf(needs, provider)
  const pages = needs.accountPages({ provider, finishSignUp: steps.afterPassword })
  const interactions: Interactions = {
    ...steps.interactions,
    ...pages.interactions,
    external: {
      GET: continueExternalSignIn({ provider, settings, external: needs.external, users, clock }),
    },
    consent: { POST: submitConsent({ provider, settings, consents }) },
  }
  const exchange = codeExchange(listener, settings.origin)
  const { hasSample } = needs
  return {
    endSession: grants.endSession,
    signOutEverywhere: grants.signOutEverywhere,
    leaveSession: leave,
    browserSession: server.browserSession,
    continueSignIn: steps.continueSignIn,
    part: {
      routes: [
        startSignIn({ settings }),
        finishSignIn({ settings, exchange, readAccessToken, leaveSession: leave, users, hasSample }),
      ],
      mounts: [
        {
          path: '/oidc',
          listener: oidcListener({ settings, provider: listener, interactions, rateLimiter }),
        },
        { path: '/.well-known', listener: wellKnownListener({ settings, provider: listener, rateLimiter }) },
        ...pages.mounts,
      ],
      jobs: [sweepOidcRecords({ stores: [server.records, server.store], clock })],
    },
  }
}

/** The steps of a sign-in by password. */
const stepsOf = (needs: Needs, provider: SignInNeeds['provider']) =>
  signInPages({
    provider,
    settings: needs.settings,
    signIn: needs.signIn,
    offers: needs.offers,
    users: needs.users,
    passwords: needs.passwords,
    limits: attemptLimits({ rateLimiter: needs.rateLimiter }),
    devices: knownDevices({ secret: needs.cookieSecret, secure: needs.secureCookies }),
    secondFactors: needs.secondFactors,
    signInLog: needs.signInLog,
    masterKeys: needs.masterKeys,
    clock: needs.clock,
    showConsent: showConsent({ provider, settings: needs.settings, users: needs.users }),
  })

/** The server itself with what it keeps. */
function openServer(needs: Needs) {
  const { database, keyRing, sessions, settings, users, masterKeys, audit, clock, log } = needs
  const records = oidcRecordStore(database)
  const store = signInStore(database)
  const consents = consentStore(database)
  const readAccessToken = accessTokenReader({ keyRing, sessions, settings, clock })
  const grants = grantSessions({ records, store, sessions, settings, clock })
  const browserSession = findBrowserSession({ sessions, readAccessToken })
  const leave = leaveSession({ sessions, browserSession })
  const live = liveProvider({
    database,
    masterKeys,
    audit,
    settings,
    records,
    signInStore: store,
    grantSessions: grants,
    readAccessToken,
    users,
    consents,
    mfaOf: (userId) => needs.secondFactors.methodOf(userId),
    keyRing,
    leaveSession: leave,
    log,
  })
  return { ...live, records, store, consents, readAccessToken, grants, leave, browserSession }
}
