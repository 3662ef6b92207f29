import { type Access, type InternalPrincipal, superAdmin } from '@platform/auth'
import { Failure } from '@platform/kernel'

/** Operators with the internal key, and nobody through the gateway (reliability T-SYS-1). */
export const platformOnly: Access<InternalPrincipal> = (principal) => {
  const caller = superAdmin(principal)
  if (caller.kind === 'internal') return caller
  throw new Failure('ForbiddenError', 'Only the platform itself may do this: send the internal key.')
}
