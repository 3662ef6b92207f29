import { randomUUID } from 'node:crypto'
import type { Queries } from '@platform/database'
import { networkOf } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'

/** What a session is started with. */
export interface NewSession {
  userId: string
  /** The OIDC client that obtained it. A session whose user is its client belongs to no person (client credentials). */
  clientId: string
  /** What people call that client. */
  clientName?: string | undefined
  anonymous: boolean
  expiresAt: Date
  ip?: string
  userAgent?: string
  /** The key that signs its first JWT; see `noteIssued`. */
  signingKid?: string | undefined
  /**
   * What must still hold when the row is written: the session it comes from lives, or the account was not secured
   * after that instant (a new password).
   */
  basis?: { sessionId: string } | { provedAt: Date } | undefined
  /**
   * How the person proved who they are; absent where nobody did (anonymous sessions, programs). It is logged and
   * audited.
   */
  signIn?: {
    /** `prismeai` for passwords of this platform, else the slug of a provider. */
    provider: string
    email: string | undefined
    authData: Record<string, unknown>
  }
}

/** A new session with its id. */
export interface StartedSession extends NewSession {
  sessionId: string
}

/** A session that is neither over nor ended. */
export interface Session {
  sessionId: string
  userId: string
  clientId: string
  anonymous: boolean
  expiresAt: Date
}

/** Who ends a session, for the audit trail. */
export interface Ending {
  /** `user:<id>`, `client:<id>`, `platform`; the owner of the session unless given. */
  actor?: string | undefined
  ip?: string | undefined
  correlationId?: string | undefined
  /** Why, in a word, where it was not simply signing out: `replaced`, `tokenReuse`. */
  reason?: string | undefined
}

/**
 * The sessions JWTs belong to. Every method rejects with StoreError when the database does not answer.
 */
export interface Sessions {
  /**
   * The row, the event of the sign-in and its audit row are there together or not at all. Rejects with
   * AuthenticationError when what the session stands on has ended.
   */
  start(session: NewSession): Promise<{ sessionId: string }>
  /**
   * Read from the database; what is cached is the caller behind a credential. Undefined when it never was, is over or
   * was ended.
   */
  find(sessionId: string): Promise<Session | undefined>
  /** Remembers which key has signed the latest JWT of a session; called with each refresh. */
  noteIssued(sessionId: string, kid: string): Promise<void>
  /**
   * Ends one session, with an audit row: committed first, then announced to every instance. Nothing happens when it
   * has ended already.
   */
  end(sessionId: string, ending?: Ending): Promise<void>
  /** Ends these sessions and, in the same transaction, what `alsoEnd` ends. */
  endAll(sessionIds: readonly string[], ending?: Ending, alsoEnd?: AlsoEnd): Promise<void>
  /** Ends all sessions of a user and, in the same transaction, what `alsoEnd` ends. */
  endAllOf(userId: string, ending?: Ending, alsoEnd?: AlsoEnd): Promise<void>
}

/** Ends in a transaction what else a person is signed in with. */
export type AlsoEnd = (tx: Queries) => Promise<void>

/** Where sessions are kept. */
interface SessionRecords {
  /** False when its basis is gone. */
  insert(session: StartedSession): Promise<boolean>
  findLive(id: string, now: Date): Promise<Session | undefined>
  noteIssued(id: string, kid: string): Promise<unknown>
  end(id: string, ending: Ending): Promise<string[]>
  endAll(ids: readonly string[], ending: Ending, alsoEnd?: AlsoEnd): Promise<string[]>
  endAllOf(userId: string, ending: Ending, alsoEnd?: AlsoEnd): Promise<string[]>
}

/** Sessions of this installation; `broadcast` tells every instance what has ended. */
export const liveSessions = (deps: {
  records: SessionRecords
  broadcast: (ids: string[]) => Promise<void>
  clock: Clock
}): Sessions => ({
  async start(session) {
    const sessionId = randomUUID()
    if (!(await deps.records.insert({ ...session, sessionId }))) throw basisGone()
    return { sessionId }
  },
  find: (sessionId) => deps.records.findLive(sessionId, deps.clock.now()),
  async noteIssued(sessionId, kid) {
    await deps.records.noteIssued(sessionId, kid)
  },
  end: async (sessionId, ending = {}) => deps.broadcast(await deps.records.end(sessionId, ending)),
  endAll: async (sessionIds, ending = {}, alsoEnd) =>
    deps.broadcast(await deps.records.endAll(sessionIds, ending, alsoEnd)),
  endAllOf: async (userId, ending = {}, alsoEnd) =>
    deps.broadcast(await deps.records.endAllOf(userId, ending, alsoEnd)),
})

const basisGone = () =>
  new Failure('AuthenticationError', 'What this session would stand on has ended meanwhile: sign in again.')

/**
 * The network somebody can have to themselves: the /48 of an IPv6 address, which holds 65,536 networks of one
 * customer, and the /24 of an IPv4 address. Addresses of one site share the room for anonymous sessions.
 */
export function siteOf(address: string): string {
  const network = networkOf(address)
  const separator = network.includes(':') ? ':' : '.'
  return network.split(separator).slice(0, 3).join(separator)
}
