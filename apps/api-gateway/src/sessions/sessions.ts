import { randomUUID } from 'node:crypto'
import type { Clock } from '@platform/kernel'

/** What a session is started with. */
export interface NewSession {
  userId: string
  /** The OIDC client that obtained it. A session whose user is its client belongs to no person (client credentials). */
  clientId: string
  anonymous: boolean
  expiresAt: Date
  ip?: string
  userAgent?: string
}

/** A session that is neither over nor ended. */
export interface Session {
  sessionId: string
  userId: string
  clientId: string
  anonymous: boolean
  expiresAt: Date
}

/** The sessions JWTs belong to (decisions C3). Every method rejects with StoreError when the database does not answer. */
export interface Sessions {
  start(session: NewSession): Promise<{ sessionId: string }>
  /** Read from the database; what is cached is the caller behind a credential. Undefined when it never was, is over or was ended. */
  find(sessionId: string): Promise<Session | undefined>
  /** Ends one session: committed first, then announced to every instance. */
  end(sessionId: string): Promise<void>
  endAllOf(userId: string): Promise<void>
}

/** Where sessions are kept. */
interface SessionRecords {
  insert(id: string, session: NewSession): Promise<unknown>
  findLive(id: string, now: Date): Promise<Session | undefined>
  end(id: string): Promise<string[]>
  endAllOf(userId: string): Promise<string[]>
}

/** Sessions of this installation; `spread` tells every instance what has ended. */
export const liveSessions = (deps: {
  records: SessionRecords
  spread: (ids: string[]) => Promise<void>
  clock: Clock
}): Sessions => ({
  async start(session) {
    const sessionId = randomUUID()
    await deps.records.insert(sessionId, session)
    return { sessionId }
  },
  find: (sessionId) => deps.records.findLive(sessionId, deps.clock.now()),
  end: async (sessionId) => deps.spread(await deps.records.end(sessionId)),
  endAllOf: async (userId) => deps.spread(await deps.records.endAllOf(userId)),
})
