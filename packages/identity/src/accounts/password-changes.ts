import { gatewayPasswordResetRequested, gatewayPasswordResetSucceeded, shownIp } from '@platform/contracts'
import type { Queries } from '@platform/database'
import { Failure } from '@platform/kernel'
import { requireGoodPassword } from '../credentials/passwords/password-rules.ts'
import { requirePasswordLength, type UserRecord } from '../users/user.ts'
import type { EndedSession } from './account-access-store.ts'
import {
  type AccountParts,
  endingsOf,
  newLink,
  redeemToken,
  requireLocalSignIn,
  sourceOf,
  traceOf,
  withMinimumDuration,
} from './account-parts.ts'
import type { Accounts, RequestContext } from './accounts.ts'
import { hashOfToken, tokenRefused } from './mailed-token.ts'
import { addressOf, answeredMail, mailedTo } from './registration.ts'

type PasswordChanges = Pick<
  Accounts,
  'requestPasswordReset' | 'isResetTokenGood' | 'resetPassword' | 'changePassword'
>

/** A forgotten password, and one that is to be another. */
export const passwordChanges = (parts: AccountParts): PasswordChanges => {
  const findReset = (token: string) => parts.tokens.find('reset', hashOfToken(token), parts.clock.now())
  return {
    async requestPasswordReset(email, context) {
      requireLocalSignIn(parts)
      await withMinimumDuration(async () => {
        const found = await parts.users.findByEmail(email)
        // Who signs in elsewhere must not get past that by a password.
        if (found?.passwordHash === undefined || found.user.status === 'deactivated') return
        await parts.database.transaction((tx) => mailReset(parts, tx, found.user, context))
        parts.mails.deliverSoon()
      })
    },

    isResetTokenGood: async (token) => (await findReset(token)) !== undefined,

    async resetPassword(token, password, context) {
      requireLocalSignIn(parts)
      requirePasswordLength(password)
      // Nobody has a password hashed who has no link.
      const mailed = await findReset(token)
      if (mailed === undefined) throw tokenRefused()
      requireGoodPassword(password, (await parts.users.find(mailed.userId)) ?? mailed)
      const passwordHash = await parts.passwords.hash(password)
      const { ids, ...done } = await parts.database.transaction((tx) =>
        reset(parts, tx, { token, passwordHash }, context),
      )
      await parts.broadcast(ids)
      parts.mails.deliverSoon()
      return done
    },

    async changePassword({ userId, sessionId, currentPassword, password }, context) {
      requireLocalSignIn(parts)
      requirePasswordLength(password)
      const user = await requireCurrent(parts, userId, currentPassword)
      requireGoodPassword(password, user)
      const passwordHash = await parts.passwords.hash(password)
      const ids = await parts.database.transaction((tx) =>
        change(parts, tx, { userId, sessionId, passwordHash }, context),
      )
      await parts.broadcast(ids)
      parts.mails.deliverSoon()
    },
  }
}

async function mailReset(
  parts: AccountParts,
  tx: Queries,
  user: UserRecord,
  context: RequestContext,
): Promise<void> {
  const to = addressOf(user)
  const url = await newLink(parts, tx, 'reset', mailedTo(user, context))
  const language = user.language ?? context.language
  await parts.mails.post(tx, { to, language, template: 'resetPassword', values: { url } })
  const payload = { ip: shownIp(context.ip), email: to }
  await parts.outbox.add(tx, gatewayPasswordResetRequested, payload, sourceOf(context, user.id))
}

async function reset(
  parts: AccountParts,
  tx: Queries,
  { token, passwordHash }: { token: string; passwordHash: string },
  context: RequestContext,
) {
  const { user: before, interaction } = await redeemToken(parts, tx, 'reset', token)
  const edit = { ...answeredMail(parts, before), passwordHash }
  const edited = await parts.users.changes(tx).edit([before.id], edit)
  const user = edited === 'taken' ? before : (edited[0] ?? before)
  const ended = await parts.accessIn(tx).endSessions([user.id])
  const ids = [...sessionIds(ended), ...(await parts.accessIn(tx).forgetUsers([user.id]))]
  await warnOwner(parts, tx, user, context)
  const payload = { ip: shownIp(context.ip), email: addressOf(user) }
  await parts.outbox.add(tx, gatewayPasswordResetSucceeded, payload, sourceOf(context, user.id))
  const trace = traceOf(context, `user:${user.id}`, user.id)
  await parts.audit.record(
    tx,
    { action: 'password.changed', ...trace, details: { by: 'mail' } },
    ...endingsOf(ended, trace, 'passwordChanged'),
  )
  return { user, interaction, ids }
}

async function change(
  parts: AccountParts,
  tx: Queries,
  { userId, sessionId, passwordHash }: { userId: string; sessionId: string; passwordHash: string },
  context: RequestContext,
): Promise<string[]> {
  const changes = parts.users.changes(tx)
  const [user] = await changes.lock({ ids: [userId] })
  if (user === undefined) throw wrongPassword()
  await changes.edit([userId], { passwordHash })
  const ended = await parts.accessIn(tx).endSessions([userId], sessionId)
  await warnOwner(parts, tx, user, context)
  const trace = traceOf(context, `user:${userId}`, userId)
  await parts.audit.record(
    tx,
    { action: 'password.changed', ...trace, details: { by: 'password' } },
    ...endingsOf(ended, trace, 'passwordChanged'),
  )
  return sessionIds(ended)
}

const sessionIds = (ended: readonly EndedSession[]): string[] => ended.map(({ sessionId }) => sessionId)

/** All links mailed before stop working; the one in this mail gives a stolen account back. */
async function warnOwner(
  parts: AccountParts,
  tx: Queries,
  user: UserRecord,
  context: RequestContext,
): Promise<void> {
  await parts.tokensIn(tx).removeOf([user.id])
  const resetUrl = await newLink(parts, tx, 'reset', mailedTo(user, { interaction: undefined }))
  const language = user.language ?? context.language
  await parts.mails.post(tx, {
    to: addressOf(user),
    language,
    template: 'passwordChanged',
    values: { resetUrl },
  })
}

async function requireCurrent(
  { users, passwords }: AccountParts,
  userId: string,
  typed: string,
): Promise<UserRecord> {
  const user = await users.find(userId)
  // Without an address there is no password either; the check takes its time all the same.
  const { outcome } = await passwords.check(user?.email ?? '', typed)
  if (outcome !== 'matches' || user === undefined) throw wrongPassword()
  return user
}

const wrongPassword = (): Failure =>
  new Failure('InvalidPassword', 'The current password is not right: check it, or set a new one by mail.')
