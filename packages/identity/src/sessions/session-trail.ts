import type { Audit, AuditEntry } from '@platform/audit'
import type { Queries } from '@platform/database'
import type { SignInLog } from '../audit/sign-in-log.ts'
import type { Ending, StartedSession } from './sessions.ts'

/** A session that was just ended. */
export interface EndedSession {
  sessionId: string
  userId: string
  clientId: string
  ending: Ending
}

/** What is remembered of sessions, inside the transaction that changes them and as its last statement. */
export interface SessionTrail {
  started(tx: Queries, sessions: readonly StartedSession[]): Promise<void>
  ended(tx: Queries, sessions: readonly EndedSession[]): Promise<void>
}

/** Sign-ins go to the event feed and the audit trail, endings to the audit trail. */
export const sessionTrail = (deps: { signInLog: SignInLog; audit: Audit }): SessionTrail => ({
  async started(tx, sessions) {
    const signIns = sessions.flatMap(({ signIn, sessionId, userId, clientId, expiresAt, ip }) =>
      signIn === undefined ? [] : [{ ...signIn, sessionId, userId, clientId, expiresAt, ip }],
    )
    await deps.signInLog.succeeded(tx, ...signIns)
  },
  ended: (tx, sessions) => deps.audit.record(tx, ...sessions.map(endingEntry)),
})

/** For tests of what has nothing to do with the trail. */
export const noTrail: SessionTrail = { started: async () => undefined, ended: async () => undefined }

function endingEntry({ sessionId, userId, clientId, ending }: EndedSession): AuditEntry {
  const { actor = userId === clientId ? `client:${clientId}` : `user:${userId}`, ip, correlationId } = ending
  const { reason } = ending
  return {
    action: 'session.ended',
    actor,
    subject: `session:${sessionId}`,
    ip,
    correlationId,
    details: { clientId, ...(reason === undefined ? {} : { reason }) },
  }
}
