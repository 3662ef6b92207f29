import type { Clock } from '@platform/kernel'
import { errors } from 'oidc-provider'
import type { Sessions } from '../sessions/sessions.ts'
import type { OidcRecordStore } from './oidc-record-store.ts'
import type { OidcSettings } from './oidc-settings.ts'
import type { SignInStore } from './sign-in-store.ts'

/** Who obtains tokens, from where. */
export interface TokenRequest {
  grantId: string
  accountId: string
  clientId: string
  /** The browser session the grant was given in. */
  browserUid: string | undefined
  /** True when a refresh token belongs to the grant. */
  offline: boolean
  ip: string
  userAgent: string | undefined
}

/** Ties grants of the OIDC server to the sessions every JWT belongs to (decisions C3): each grant has one. */
export interface SignIns {
  /** The session of a grant, started with its first token. Rejects with invalid_grant when it has ended. */
  sessionFor(request: TokenRequest): Promise<string>
  endSession(sessionId: string): Promise<void>
  /** Revokes a grant: what was issued under it and the session of its JWTs. */
  endGrant(grantId: string): Promise<void>
  /** Signs a browser out: every session started from it. */
  endBrowser(browserUid: string): Promise<void>
  /** False when something that was signed in to from this browser since then has ended: then the password is asked for again. */
  isBrowserTrusted(browserUid: string, since: Date): Promise<boolean>
  /** Ends all sessions of an account and whatever could start a new one. */
  signOutEverywhere(accountId: string): Promise<void>
}

interface Needs {
  records: OidcRecordStore
  store: SignInStore
  sessions: Sessions
  settings: OidcSettings
  clock: Clock
}

export function signIns(needs: Needs): SignIns {
  const { records, store, sessions } = needs
  const endSessions = async (sessionIds: string[]) => {
    for (const sessionId of sessionIds) await sessions.end(sessionId)
  }

  return {
    async sessionFor(request) {
      const known = await store.findOfGrant(request.grantId)
      const sessionId = known?.sessionId ?? (await startSession(request, needs))
      // A grant revoked meanwhile took no session along that it did not know of yet: whoever comes second sees the other.
      const [session, granted] = [await sessions.find(sessionId), await records.hasGrant(request.grantId)]
      if (session !== undefined && granted) return sessionId
      await sessions.end(sessionId)
      throw new errors.InvalidGrant('the session of this grant has ended')
    },

    endSession: (sessionId) => sessions.end(sessionId),

    async endGrant(grantId) {
      await records.destroyGrants([grantId])
      const signIn = await store.findOfGrant(grantId)
      if (signIn !== undefined) await sessions.end(signIn.sessionId)
    },

    async endBrowser(browserUid) {
      const signedIn = await store.listOfBrowser(browserUid, new Date(0))
      await records.destroyGrants(signedIn.map(({ grantId }) => grantId))
      await endSessions(signedIn.map(({ sessionId }) => sessionId))
    },

    async isBrowserTrusted(browserUid, since) {
      const signedIn = await store.listOfBrowser(browserUid, since)
      const found = await Promise.all(signedIn.map(({ sessionId }) => sessions.find(sessionId)))
      return found.every((session) => session !== undefined)
    },

    async signOutEverywhere(accountId) {
      await records.destroyOfAccount(accountId)
      await store.destroyOfAccount(accountId)
      await sessions.endAllOf(accountId)
    },
  }
}

/** Lasts as long as anything issued under the grant can: with a refresh token that is its last use and one more JWT. */
async function startSession(
  request: TokenRequest,
  { store, sessions, settings, clock }: Needs,
): Promise<string> {
  const seconds = settings.accessTokenSeconds + (request.offline ? settings.refreshTokenSeconds : 0)
  const expiresAt = new Date(clock.now().getTime() + seconds * 1000)
  const { grantId, accountId, browserUid, clientId, ip, userAgent } = request
  const { sessionId } = await sessions.start({
    userId: accountId,
    clientId,
    anonymous: false,
    expiresAt,
    ip,
    ...(userAgent === undefined ? {} : { userAgent }),
  })
  return store.insert({ grantId, sessionId, browserUid, accountId }, expiresAt)
}
