import type { Audit, AuditEntry } from '@platform/audit'
import { gatewayLoginFailed, gatewayLoginSucceeded, gatewayMfaFailed, shownIp } from '@platform/contracts'
import type { Database, Queries } from '@platform/database'
import type { Clock } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'

/** The provider behind passwords of this platform. */
export const LOCAL_PROVIDER = 'prismeai'

/** A session that a person has started by proving who they are. */
export interface SignInSucceeded {
  userId: string
  sessionId: string
  clientId: string
  expiresAt: Date
  provider: string
  email: string | undefined
  authData: Record<string, unknown>
  ip: string | undefined
}

/** A sign-in that was refused; `email` is what was typed. */
export interface SignInFailed {
  provider: string
  email: string | undefined
  ip: string | undefined
  correlationId?: string
}

/** Tells the event feed and the audit trail of sign-ins. */
export interface SignInLog {
  /** Inside the transaction that starts the sessions, as its last statement. */
  succeeded(tx: Queries, ...signIns: SignInSucceeded[]): Promise<void>
  failed(attempt: SignInFailed): Promise<void>
  /** The password was right, the one-time code was not. */
  codeFailed(attempt: SignInFailed & { userId: string }): Promise<void>
}

interface Needs {
  database: Database
  outbox: Outbox
  audit: Audit
  clock: Clock
}

const host = { service: 'api-gateway' }
const shown = (ip: string | undefined) => (ip === undefined ? {} : { ip: shownIp(ip) })

function loginEvent(
  { userId, sessionId, expiresAt, provider, email, authData, ip }: SignInSucceeded,
  clock: Clock,
) {
  const expiresIn = Math.round((expiresAt.getTime() - clock.now().getTime()) / 1000)
  const session = { id: sessionId, expiresIn, expires: expiresAt.toISOString() }
  const payload = { ...shown(ip), id: userId, provider, authData, session, ...(email && { email }) }
  return { payload, source: { host, userId, sessionId, ...shown(ip) } }
}

const startEntry = ({ userId, sessionId, provider, clientId, ip }: SignInSucceeded): AuditEntry => ({
  action: 'session.started',
  actor: `user:${userId}`,
  subject: `session:${sessionId}`,
  ip,
  details: { provider, clientId },
})

/** Writes both in one transaction, so that neither is there without the other. */
export const signInLog = ({ database, outbox, audit, clock }: Needs): SignInLog => ({
  async succeeded(tx, ...signIns) {
    for (const signIn of signIns) {
      const { payload, source } = loginEvent(signIn, clock)
      await outbox.add(tx, gatewayLoginSucceeded, payload, source)
    }
    await audit.record(tx, ...signIns.map(startEntry))
  },

  failed: ({ provider, email, ip, correlationId }) =>
    database.transaction(async (tx) => {
      const payload = { ...shown(ip), provider, ...(email && { email }) }
      await outbox.add(tx, gatewayLoginFailed, payload, { host, ...shown(ip) })
      await audit.record(tx, {
        action: 'session.refused',
        actor: 'nobody',
        subject: `provider:${provider}`,
        ip,
        correlationId,
        details: { email: email ?? null },
      })
    }),

  codeFailed: ({ userId, email, ip, correlationId }) =>
    database.transaction(async (tx) => {
      const payload = { ip: shownIp(ip ?? ''), email: email ?? '' }
      await outbox.add(tx, gatewayMfaFailed, payload, { host, userId, ...shown(ip) })
      await audit.record(tx, {
        action: 'mfa.refused',
        actor: 'nobody',
        subject: `user:${userId}`,
        ip,
        correlationId,
      })
    }),
})
