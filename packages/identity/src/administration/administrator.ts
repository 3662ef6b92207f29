import { accountHolder, admit, type Principal } from '@platform/auth'

/**
 * Who administers accounts, as the audit trail names them: a super administrator with an account, or the internal key.
 * Throws AuthenticationError and ForbiddenError for everybody else.
 */
export function administratorOf(principal: Principal | undefined): string {
  const admitted = admit({ credential: 'required', caller: 'superAdmin' }, principal)
  return admitted.kind === 'internal' ? 'platform' : `user:${accountHolder(admitted).userId}`
}
