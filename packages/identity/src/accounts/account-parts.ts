import { setTimeout as pause } from 'node:timers/promises'
import type { Audit, AuditEntry } from '@platform/audit'
import { shownIp } from '@platform/contracts'
import type { Database, Queries } from '@platform/database'
import { type Clock, Failure } from '@platform/kernel'
import type { Outbox } from '@platform/outbox'
import type { Passwords } from '../credentials/passwords/passwords.ts'
import type { Mails } from '../mails/mails.ts'
import type { UserRecord } from '../users/user.ts'
import type { UserStore } from '../users/user-store.ts'
import type { AccountAccessStore, EndedSession } from './account-access-store.ts'
import type { RequestContext } from './accounts.ts'
import type { AccountSettings } from './accounts-env.ts'
import {
  hashOfToken,
  MAILED_TOKEN_MS,
  type MailedPurpose,
  newMailedToken,
  tokenRefused,
} from './mailed-token.ts'
import type { MailedTo, MailedTokenStore } from './mailed-token-store.ts'

/** What everything about accounts is made of. */
export interface AccountParts {
  database: Pick<Database, 'transaction'>
  users: UserStore
  passwords: Passwords
  /** Outside a transaction, for looking only. */
  tokens: Pick<MailedTokenStore, 'find'>
  tokensIn: (tx: Queries) => MailedTokenStore
  accessIn: (tx: Queries) => AccountAccessStore
  mails: Mails
  outbox: Outbox
  audit: Audit
  clock: Clock
  settings: AccountSettings
  /** Where people reach the platform. */
  origin: string
  /** Tells every instance what to forget, after the commit. */
  broadcast: (ids: string[]) => Promise<void>
  /** Deletes the picture of an account that is no more. */
  forgetPhoto?: ((user: UserRecord) => Promise<void>) | undefined
  /** Takes somebody out of every workspace. */
  removeMemberships: (tx: Queries, userId: string) => Promise<unknown>
}

/** Where the link of each purpose leads; the page asks before it does anything, because mail scanners open links. */
const PAGES: Readonly<Record<MailedPurpose, string>> = {
  validate: '/account/validate',
  reset: '/account/password',
  delete: '/account/deletion',
}

/** A new link for an account, as an address to mail. */
export async function newLink(
  { tokensIn, clock, origin }: Pick<AccountParts, 'tokensIn' | 'clock' | 'origin'>,
  tx: Queries,
  purpose: MailedPurpose,
  mailedTo: MailedTo,
): Promise<string> {
  const { token, tokenHash } = newMailedToken()
  const expiresAt = new Date(clock.now().getTime() + MAILED_TOKEN_MS)
  await tokensIn(tx).insert({ ...mailedTo, purpose, tokenHash, expiresAt })
  return `${origin}${PAGES[purpose]}?token=${token}`
}

/** Uses a token up and locks its account. Throws InvalidOrExpiredToken. */
export async function redeemToken(
  { tokensIn, users, clock }: Pick<AccountParts, 'tokensIn' | 'users' | 'clock'>,
  tx: Queries,
  purpose: MailedPurpose,
  token: string,
): Promise<{ user: UserRecord; interaction: string | undefined }> {
  const mailedTo = await tokensIn(tx).take(purpose, hashOfToken(token), clock.now())
  if (mailedTo === undefined) throw tokenRefused()
  const [user] = await users.changes(tx).lock({ ids: [mailedTo.userId] })
  if (user === undefined) throw tokenRefused()
  return { user, interaction: mailedTo.interaction }
}

/** The source of an event of accounts. */
export const sourceOf = (context: Pick<RequestContext, 'ip' | 'correlationId'>, userId?: string) => ({
  host: { service: 'api-gateway' },
  ip: shownIp(context.ip),
  correlationId: context.correlationId,
  ...(userId === undefined ? {} : { userId }),
})

/** Who did what, for the audit trail. */
export const traceOf = (
  context: Pick<RequestContext, 'ip' | 'correlationId'>,
  actor: string,
  userId: string,
) => ({
  actor,
  subject: `user:${userId}`,
  ip: context.ip,
  correlationId: context.correlationId,
})

/** The rows of sessions that ended with a change of their account. */
export const endingsOf = (
  ended: readonly EndedSession[],
  { actor, ip, correlationId }: ReturnType<typeof traceOf>,
  reason: string,
): AuditEntry[] =>
  ended.map(({ sessionId, clientId }) => ({
    action: 'session.ended',
    actor,
    subject: `session:${sessionId}`,
    ip,
    correlationId,
    details: { clientId, reason },
  }))

/** Throws ForbiddenError where passwords are switched off. */
export function requireLocalSignIn({ settings }: Pick<AccountParts, 'settings'>): void {
  if (settings.localSignIn) return
  throw new Failure('ForbiddenError', 'Passwords are switched off here: sign in with one of the providers.')
}

/** Longer than writing a mail down takes. */
const LEAST_MS = 100

/**
 * Does `work` and takes at least this long, so that the time of an answer does not tell whether there was anybody to
 * write to.
 */
export async function withMinimumDuration(work: () => Promise<void>, leastMs = LEAST_MS): Promise<void> {
  const [outcome] = await Promise.allSettled([work(), pause(leastMs)])
  if (outcome.status === 'rejected') throw outcome.reason
}
