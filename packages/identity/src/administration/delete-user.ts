import type { Principal } from '@platform/auth'
import { deleteUser as endpoint } from '@platform/contracts'
import { type RequestInfo, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { AccountDeletion } from '../accounts/account-deletion.ts'
import { requestContextOf } from '../accounts/accounts.ts'
import { tokenRefused } from '../accounts/mailed-token.ts'
import { stateOf } from '../users/user-etag.ts'
import { administratorOf } from './edit-users.ts'
import { userNotFound } from './get-user.ts'

type Deletion = Pick<AccountDeletion, 'delete' | 'deleteByToken' | 'ownerOfDeletionToken'>

export const deleteUser = ({ accounts }: { accounts: Deletion }) =>
  route(endpoint, {
    async handle({ params, query, principal, request }) {
      const { userId } = params
      if (query.token === undefined) await asAdministrator(accounts, userId, principal, request)
      else await asOwner(accounts, userId, query.token, request)

      return { success: true }
    },
  })

async function asOwner(accounts: Deletion, userId: string, token: string, request: RequestInfo) {
  // The link of one account must not delete another, nor be used up at its address.
  if ((await accounts.ownerOfDeletionToken(token)) !== userId) throw tokenRefused()
  await accounts.deleteByToken(token, requestContextOf(request))
}

async function asAdministrator(
  accounts: Deletion,
  userId: string,
  principal: Principal | undefined,
  request: RequestInfo,
) {
  if (principal?.kind === 'user' && principal.userId === userId)
    throw new Failure(
      'ForbiddenError',
      'Deleting your own account takes the link that DELETE /v2/user mails to you.',
    )
  const actor = administratorOf(principal)
  if (!(await accounts.delete(userId, actor, requestContextOf(request), stateOf(request.headers))))
    throw userNotFound()
}
