import { type Access, accountHolder, authenticated, type Principal } from '@platform/auth'
import { Failure } from '@platform/kernel'

/** Who administers accounts, as the audit trail names them. */
export interface Administrator {
  actor: string
}

/** A super administrator with an account, or the internal key (decisions C13). */
export const administrator: Access<Administrator> = (principal: Principal | undefined) => {
  const caller = authenticated(principal)
  if (caller.kind === 'internal') return { actor: 'platform' }
  const { superAdmin, userId } = accountHolder(caller)
  if (superAdmin) return { actor: `user:${userId}` }
  throw new Failure('ForbiddenError', 'Only super administrators may do this.')
}
