import type { Queries } from '@platform/database'
import { type Clock, Failure, SECOND_MS } from '@platform/kernel'
import { errors } from 'oidc-provider'
import { LOCAL_PROVIDER } from '../audit/sign-in-log.ts'
import type { AlsoEnd, Ending, Sessions } from '../sessions/sessions.ts'
import type { UserRecord } from '../users/user.ts'
import { type OidcRecordStore, oidcRecordStore } from './oidc-record-store.ts'
import type { OidcSettings } from './oidc-settings.ts'
import { type SignInStore, signInStore } from './sign-in-store.ts'

/** Which client obtains a token, from where. */
interface ClientRequest {
  clientId: string
  clientName: string | undefined
  /** The key that signs the token. */
  signingKid: string | undefined
  ip: string
  userAgent: string | undefined
}

/** A program that obtains a token for itself. */
export interface ProgramRequest extends ClientRequest {
  /** How long the token lasts. */
  seconds: number
}

/** Who obtains tokens, from where. */
export interface TokenRequest extends ClientRequest {
  grantId: string
  accountId: string
  /**
   * How the person proved who they are (RFC 8176): `pwd`, or `fed` with `idp:<slug>` of a provider; `otp` with a
   * second factor.
   */
  amr: readonly string[]
  /** When they did, in Unix seconds. */
  authTime: number | undefined
  person: Pick<UserRecord, 'email' | 'authData'> | undefined
  /** The browser session the grant was given in. */
  browserUid: string | undefined
  /** True when a refresh token belongs to the grant. */
  offline: boolean
}

/** Ties grants of the OIDC server to the sessions every JWT belongs to: each grant has one. */
export interface GrantSessions {
  /** The session of a grant, started with its first token. Rejects with invalid_grant when it has ended before. */
  sessionFor(request: TokenRequest): Promise<string>
  /** A session for one token of a program, whose user is the client itself. */
  sessionOfProgram(request: ProgramRequest): Promise<string>
  /** Ends a session and whatever could give it another JWT. */
  endSession(sessionId: string, ending?: Ending): Promise<void>
  /** Revokes a grant: what was issued under it and the session of its JWTs. */
  endGrant(grantId: string, ending?: Ending): Promise<void>
  /** Ends everything a client has obtained, for people and for itself. */
  endClient(clientId: string): Promise<void>
  /** Signs a browser out: every session started from it. */
  endBrowser(browserUid: string): Promise<void>
  /**
   * False when something that was signed in to from this browser since then has ended: then the password is asked for
   * again.
   */
  isBrowserTrusted(browserUid: string, since: Date): Promise<boolean>
  /** Ends all sessions of an account and whatever could start a new one. */
  signOutEverywhere(accountId: string, ending?: Ending): Promise<void>
}

interface Needs {
  records: OidcRecordStore
  store: SignInStore
  sessions: Sessions
  settings: OidcSettings
  clock: Clock
}

export function grantSessions(needs: Needs): GrantSessions {
  const { records, store, sessions } = needs
  const endSessionsOf = async (grantIds: readonly string[], ending?: Ending, alsoEnd?: AlsoEnd) => {
    const signedIn = await store.listOfGrants(grantIds)
    const sessionIds = signedIn.map(({ sessionId }) => sessionId)
    await sessions.endAll(sessionIds, ending, alsoEnd)
  }
  // Sessions and grants end in one transaction: a request that finds its session over finds its grant gone as well.
  // When the grants can't be removed the sessions end all the same; a session that a grant got meanwhile ends last.
  const endGrants = async (grantIds: readonly string[], ending?: Ending) => {
    const destroyGrants = (tx: Queries) => oidcRecordStore(tx).destroyGrants(grantIds)
    await endSessionsOf(grantIds, ending, destroyGrants).finally(() => endSessionsOf(grantIds, ending))
  }

  return {
    sessionFor: (request) => sessionFor(request, needs),

    sessionOfProgram: (request) => startProgram(request, needs),

    async endSession(sessionId, ending) {
      await sessions.end(sessionId, ending)
      const signIn = await store.findOfSession(sessionId)
      if (signIn !== undefined) await records.destroyGrants([signIn.grantId])
    },

    async endGrant(grantId, ending) {
      await endGrants([grantId], ending)
    },

    async endClient(clientId) {
      await endGrants(await records.listGrantsOfClient(clientId))
      await sessions.endAllOf(clientId)
    },

    async endBrowser(browserUid) {
      const signedIn = await store.listOfBrowser(browserUid, new Date(0))
      await endGrants(signedIn.map(({ grantId }) => grantId))
    },

    async isBrowserTrusted(browserUid, since) {
      const signedIn = await store.listOfBrowser(browserUid, since)
      const found = await Promise.all(signedIn.map(({ sessionId }) => sessions.find(sessionId)))
      return found.every((session) => session !== undefined)
    },

    async signOutEverywhere(accountId, ending) {
      await sessions.endAllOf(accountId, ending, async (tx) => {
        await oidcRecordStore(tx).destroyOfAccount(accountId)
        await signInStore(tx).destroyOfAccount(accountId)
      })
    },
  }
}

async function sessionFor(request: TokenRequest, needs: Needs): Promise<string> {
  const { records, store, sessions } = needs
  const { grantId, signingKid } = request
  const known = await store.findOfGrant(grantId)
  const sessionId = known?.sessionId ?? (await startSession(request, needs))
  // A grant revoked meanwhile took no session along that it did not know of yet: whoever comes second sees the other.
  const [session, granted] = [await sessions.find(sessionId), await records.hasGrant(grantId)]
  if (session !== undefined && granted) {
    if (known !== undefined && signingKid !== undefined) await sessions.noteIssued(sessionId, signingKid)
    return sessionId
  }
  await sessions.end(sessionId)
  // The server has found the grant when the request began. A replay ended it since: the one winner gets what is dead
  // by now.
  if (!granted) return sessionId
  throw new errors.InvalidGrant('the session of this grant has ended')
}

/** Lasts as long as anything issued under the grant can: with a refresh token that is its last use and one more JWT. */
async function startSession(
  request: TokenRequest,
  { store, sessions, settings, clock }: Needs,
): Promise<string> {
  const seconds = settings.accessTokenSeconds + (request.offline ? settings.refreshTokenSeconds : 0)
  const expiresAt = new Date(clock.now().getTime() + seconds * 1000)
  const { grantId, accountId, browserUid, person, authTime = 0 } = request
  const starting = sessions.start({
    ...sessionOf(request),
    userId: accountId,
    expiresAt,
    basis: { provedAt: new Date(authTime * SECOND_MS) },
    signIn: { provider: providerOf(request.amr), email: person?.email, authData: person?.authData ?? {} },
  })
  const { sessionId } = await starting.catch(refuseGrant)
  return store.insert({ grantId, sessionId, browserUid, accountId }, expiresAt)
}

/** The password was changed while this sign-in was under way. */
function refuseGrant(error: unknown): never {
  if (error instanceof Failure && error.name === 'AuthenticationError')
    throw new errors.InvalidGrant('the account was secured since')
  throw error
}

async function startProgram(request: ProgramRequest, { sessions, clock }: Needs): Promise<string> {
  const expiresAt = new Date(clock.now().getTime() + request.seconds * 1000)
  const { sessionId } = await sessions.start({ ...sessionOf(request), userId: request.clientId, expiresAt })
  return sessionId
}

const sessionOf = ({ clientId, clientName, signingKid, ip, userAgent }: ClientRequest) => ({
  ...{ clientId, clientName, signingKid, ip, anonymous: false },
  ...(userAgent === undefined ? {} : { userAgent }),
})

const PROVIDER = 'idp:'

/** The slug of the provider that vouched for the person; passwords are this platform's own. */
const providerOf = (amr: readonly string[]): string =>
  amr.find((method) => method.startsWith(PROVIDER))?.slice(PROVIDER.length) ?? LOCAL_PROVIDER
