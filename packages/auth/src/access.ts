import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { type InternalPrincipal, isProgram, type Principal, type UserPrincipal } from './principal.ts'

/** Who may call a route: returns the principal it admits, so that the handler's `principal` has its type. */
export type Access<P> = (principal: Principal | undefined) => P

const noCredential = () =>
  new Failure(
    'AuthenticationError',
    `Send a credential: the header "Authorization: Bearer <token>", the access-token cookie, or an API key in the header ${names.apiKey}.`,
  )

/** Everybody, with or without a credential. */
export const anyone: Access<Principal | undefined> = (principal) => principal

/** Everybody who sent a credential; what they may do is the handler's permission question. */
export const authenticated: Access<Principal> = (principal) => {
  if (principal === undefined) throw noCredential()
  return principal
}

/** A user, anonymous ones too. */
export const signedIn: Access<UserPrincipal> = (principal) => {
  const caller = authenticated(principal)
  if (caller.kind !== 'user')
    throw new Failure('ForbiddenError', 'This endpoint takes no API key: sign in as a user.')
  return caller
}

/** A client that got its token for itself has no account, whatever its scopes (decisions C8). */
function requirePerson(user: UserPrincipal): UserPrincipal {
  if (!isProgram(user)) return user
  throw new Failure(
    'ForbiddenError',
    'The token belongs to a client, which has no account: sign in as a user.',
  )
}

/** A user with an account. */
export const accountHolder: Access<UserPrincipal> = (principal) => {
  const user = requirePerson(signedIn(principal))
  if (user.anonymous)
    throw new Failure('ForbiddenError', 'An anonymous session may not do this: sign in with an account.')
  return user
}

/** A user with an account who signed in, not a token acting for them (decisions C4). */
export const interactiveUser: Access<UserPrincipal> = (principal) => {
  const user = accountHolder(principal)
  if (user.via === 'accessToken') {
    throw signInInstead()
  }
  return user
}

/** What an access token is told where a person has to act (decisions C4). */
export const signInInstead = (): Failure =>
  new Failure(
    'ForbiddenError',
    'An access token may not do this: sign in at /signin and send the JWT of that session, as the access-token cookie or as "Authorization: Bearer <JWT>".',
  )

/** A signed-in person of any kind, but no access token: signing out and the like. */
export const sessionHolder: Access<UserPrincipal> = (principal) => {
  const user = requirePerson(signedIn(principal))
  if (user.via === 'accessToken')
    throw new Failure('ForbiddenError', 'An access token has no session of its own.')
  return user
}

/** A super administrator, or the internal key (decisions C13). */
export const superAdmin: Access<UserPrincipal | InternalPrincipal> = (principal) => {
  const caller = authenticated(principal)
  if (caller.kind === 'internal') return caller
  if (caller.kind === 'user' && caller.superAdmin) return caller
  throw new Failure('ForbiddenError', 'Only super administrators may do this.')
}

/** The platform itself, or an operator who shows the service its internal key. */
export const internalKeyHolder: Access<InternalPrincipal> = (principal) => {
  const caller = authenticated(principal)
  if (caller.kind === 'internal') return caller
  throw new Failure('ForbiddenError', 'Only the internal key may do this.')
}
