import { gatewayUsersDeleted, shownIp } from '@platform/contracts'
import type { Queries } from '@platform/database'
import { Failure } from '@platform/kernel'
import type { UserRecord } from '../users/user.ts'
import type { RequireState } from '../users/user-etag.ts'
import { type AccountParts, newLink, redeemToken, sourceOf, traceOf } from './account-parts.ts'
import type { Accounts, RequestContext } from './accounts.ts'
import { hashOfToken } from './mailed-token.ts'
import { addressOf, mailedTo } from './registration.ts'

export interface AccountDeletion
  extends Pick<Accounts, 'requestDeletion' | 'deleteByToken' | 'emailOfDeletionToken'> {
  /** As an administrator; `actor` as in the audit trail. False when there is no such account. */
  delete(
    userId: string,
    actor: string,
    context: RequestContext,
    requireState?: RequireState,
  ): Promise<boolean>
  /** Whose account a token would delete. Nothing is used up. */
  ownerOfDeletionToken(token: string): Promise<string | undefined>
}

/** Ends an account for good: its credentials, its memberships, itself. Its id is never given again. */
export const accountDeletion = (parts: AccountParts): AccountDeletion => {
  const find = (token: string) => parts.tokens.find('delete', hashOfToken(token), parts.clock.now())
  return {
    async requestDeletion(userId, context) {
      const user = await parts.users.find(userId)
      if (user?.email === undefined) throw new Failure('ForbiddenError', 'There is no address to write to.')
      await parts.database.transaction(async (tx) => {
        const url = await newLink(parts, tx, 'delete', mailedTo(user, context))
        const language = user.language ?? context.language
        await parts.mails.post(tx, {
          to: addressOf(user),
          language,
          template: 'deleteAccount',
          values: { url },
        })
      })
      parts.mails.deliverSoon()
    },

    async deleteByToken(token, context) {
      const { ids, user } = await parts.database.transaction(async (tx) => {
        await parts.users.changes(tx).lockSuperAdmins()
        const redeemed = await redeemToken(parts, tx, 'delete', token)
        const actor = `user:${redeemed.user.id}`
        return { ids: await remove(parts, tx, redeemed.user, { actor, context }), user: redeemed.user }
      })
      await parts.broadcast(ids)
      await parts.forgetPhoto?.(user)
    },

    async delete(userId, actor, context, requireState) {
      const deleted = await parts.database.transaction(async (tx) => {
        const changes = parts.users.changes(tx)
        await changes.lockSuperAdmins()
        const [user] = await changes.lock({ ids: [userId] })
        if (user !== undefined) requireState?.(user)
        return user && { ids: await remove(parts, tx, user, { actor, context }), user }
      })
      if (deleted === undefined) return false
      await parts.broadcast(deleted.ids)
      await parts.forgetPhoto?.(deleted.user)
      return true
    },

    emailOfDeletionToken: async (token) => (await find(token))?.email,
    ownerOfDeletionToken: async (token) => (await find(token))?.userId,
  }
}

/**
 * Super administrators were locked before the account was, as whoever edits accounts does: else the two could wait
 * for each other.
 */
async function remove(
  parts: AccountParts,
  tx: Queries,
  user: UserRecord,
  { actor, context }: { actor: string; context: RequestContext },
): Promise<string[]> {
  const changes = parts.users.changes(tx)
  const isAdministrator = user.platformRole === 'superAdmin'
  const ids = await parts.accessIn(tx).removeAll(user.id)
  await parts.removeMemberships(tx, user.id)
  await changes.remove(user.id)
  if (isAdministrator && !(await changes.hasSuperAdmin())) throw lastSuperAdmin()
  const payload = { userId: user.id, ip: shownIp(context.ip) }
  await parts.outbox.add(tx, gatewayUsersDeleted, payload, sourceOf(context, user.id))
  await parts.audit.record(tx, { action: 'account.deleted', ...traceOf(context, actor, user.id) })
  return ids
}

/** What would leave the platform without anybody to administer it. */
export const lastSuperAdmin = (): Failure =>
  new Failure(
    'ForbiddenError',
    'This is the last super administrator of the platform: make somebody else one before.',
  )
