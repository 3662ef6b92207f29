import type { Audit } from '@platform/audit'
import type { Database } from '@platform/database'
import type { Mount, RateLimiter, Route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import type { SecondFactors } from '../credentials/second-factors/second-factors.ts'
import type { Verifier } from '../keys/signing-keys/key-ring.ts'
import {
  type BrowserSession,
  findBrowserSession,
  type LeaveSession,
  leaveSession,
} from '../sessions/leave-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { accessTokenReader } from './access-token-reader.ts'
import { consentStore } from './consent-store.ts'
import { codeExchange } from './exchange-code.ts'
import { continueExternalSignIn } from './external-providers/continue-external-sign-in.ts'
import type { ExternalSignIn } from './external-providers/external-sign-in.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { type GrantSessions, grantSessions } from './grant-sessions.ts'
import { type Interactions, oidcListener, wellKnownListener } from './oidc-listener.ts'
import { oidcRecordStore } from './oidc-record-store.ts'
import { liveProvider, type SigningKeys } from './provider.ts'
import { showConsent } from './show-consent.ts'
import type { SignInNeeds } from './sign-in-needs.ts'
import { signInPages } from './sign-in-pages.ts'
import { signInStore } from './sign-in-store.ts'
import { startSignIn } from './start-sign-in.ts'
import { submitConsent } from './submit-consent.ts'
import { sweepOidcRecords } from './sweep-oidc-records.ts'

interface Needs extends Omit<SignInNeeds, 'provider' | 'secondFactors'> {
  database: Database
  keyRing: SigningKeys & { findOrReload(kid: string): Promise<Verifier | undefined> }
  sessions: Sessions
  secondFactors: SignInNeeds['secondFactors'] & Pick<SecondFactors, 'methodOf'>
  audit: Audit
  rateLimiter: RateLimiter
  /** Who has come back from another OpenID provider. */
  external: Pick<ExternalSignIn, 'takeTicket'>
  /** Makes the pages about accounts: those of an authorization, and those mailed links lead to. */
  accountPages: (server: {
    provider: SignInNeeds['provider']
    finishSignUp: Steps['afterPassword']
  }) => OtherPages
  hasSample: boolean
  clock: Clock
  log: Logger
}

interface OtherPages {
  interactions: Interactions
  mounts: Mount[]
}

type Steps = ReturnType<typeof signInPages>

/** The OIDC server and its pages, for the composition root. The mounts come after the route of the key set. */
export interface WiredOidc {
  /** Ends a session, or all of a user, and whatever could give another JWT. */
  endSession: GrantSessions['endSession']
  signOutEverywhere: GrantSessions['signOutEverywhere']
  /** Ends the session whose cookie is about to be replaced. */
  leaveVisit: LeaveSession
  browserSession: BrowserSession
  /** Finishes a sign-in that waits for a code. */
  steps: Pick<Steps, 'continueSignIn'>
  routes: Route[]
  mounts: Mount[]
  jobs: Job[]
}

export function wireOidc(needs: Needs): WiredOidc {
  const { settings, users, clock } = needs
  const server = openServer(needs)
  const { provider, listener, grants, readAccessToken, leave } = server
  const steps = signInPages({
    ...needs,
    provider,
    showConsent: showConsent({ provider, settings, users }),
  })
  const pages = needs.accountPages({ provider, finishSignUp: steps.afterPassword })
  const interactions: Interactions = {
    ...steps.interactions,
    ...pages.interactions,
    external: { GET: continueExternalSignIn({ ...needs, provider }) },
    consent: { POST: submitConsent({ provider, settings, consents: server.consents }) },
  }
  const exchange = codeExchange(listener, settings.origin)
  return {
    endSession: grants.endSession,
    signOutEverywhere: grants.signOutEverywhere,
    leaveVisit: leave,
    browserSession: server.browserSession,
    steps,
    routes: [
      startSignIn({ settings }),
      finishSignIn({ ...needs, exchange, readAccessToken, leaveVisit: leave }),
    ],
    mounts: [
      { path: '/oidc', listener: oidcListener({ ...needs, provider: listener, interactions }) },
      { path: '/.well-known', listener: wellKnownListener({ ...needs, provider: listener }) },
      ...pages.mounts,
    ],
    jobs: [sweepOidcRecords({ stores: [server.records, server.store], clock })],
  }
}

/** The server itself with what it keeps. */
function openServer(needs: Needs) {
  const records = oidcRecordStore(needs.database)
  const store = signInStore(needs.database)
  const consents = consentStore(needs.database)
  const readAccessToken = accessTokenReader(needs)
  const grants = grantSessions({ ...needs, records, store })
  const browserSession = findBrowserSession({ sessions: needs.sessions, readAccessToken })
  const leave = leaveSession({ sessions: needs.sessions, browserSession })
  const kept = { records, signInStore: store, signIns: grants, consents, readAccessToken, leaveVisit: leave }
  const live = liveProvider({ ...needs, ...kept, mfaOf: (userId) => needs.secondFactors.methodOf(userId) })
  return { ...live, records, store, consents, readAccessToken, grants, leave, browserSession }
}
