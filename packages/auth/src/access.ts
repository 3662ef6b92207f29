import { type AccessRule, admitsThirdParties, headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import {
  hasScope,
  type InternalPrincipal,
  isProgram,
  type Principal,
  type UserPrincipal,
} from './principal.ts'

/** The principals that a contract admits, so that a handler's `principal` has their type. */
export type PrincipalOf<Rule> = Rule extends { credential: 'internal' }
  ? InternalPrincipal
  : Rule extends { credential: 'required'; caller?: infer Caller }
    ? Caller extends 'user' | 'person' | 'account'
      ? UserPrincipal
      : Caller extends 'superAdmin'
        ? UserPrincipal | InternalPrincipal
        : Principal
    : Principal | undefined

/**
 * Answers the principal when the access rule of a contract admits it. Throws AuthenticationError where a credential is
 * missing, InsufficientScope where its token lacks a scope, and ForbiddenError where it is of the wrong kind.
 */
export function admit<Rule extends AccessRule>(
  rule: Rule,
  principal: Principal | undefined,
): PrincipalOf<Rule> {
  requireCredential(rule, principal)
  if (principal?.kind === 'user' && principal.thirdParty === true && !admitsThirdParties(rule))
    refuseApplication()
  requireCaller(rule, principal)
  requireScope(rule, principal)
  return principal as PrincipalOf<Rule>
}

function requireCredential({ credential }: AccessRule, principal: Principal | undefined): void {
  if (credential === 'none' || credential === 'optional') return
  if (authenticated(principal).kind === 'internal' || credential === 'required') return
  throw new Failure('ForbiddenError', 'Only the platform itself may do this: send the internal key.')
}

function requireCaller({ caller, interactive }: AccessRule, principal: Principal | undefined): void {
  if (caller === 'user') signedIn(principal)
  else if (caller === 'person') person(principal)
  else if (caller === 'account') accountHolder(principal)
  else if (caller === 'superAdmin') superAdmin(principal)
  if (interactive === true && principal?.kind === 'user') refuseAccessToken(principal)
}

/** What an application that is not the platform's own may not do for its users. Throws InsufficientScope. */
export function refuseApplication(): never {
  throw new Failure(
    'InsufficientScope',
    'This application may not do this for its users: only the platform’s own applications can. ' +
      'Ask /oidc/me who somebody is.',
  )
}

function requireScope({ scope }: AccessRule, principal: Principal | undefined): void {
  if (scope === undefined || principal === undefined || hasScope(principal, scope)) return
  throw new Failure('InsufficientScope', `The token lacks the scope ${scope}.`, { details: { scope } })
}

/** Everybody who sent a credential; what they may do is the handler's permission question. */
export function authenticated(principal: Principal | undefined): Principal {
  if (principal !== undefined) return principal
  throw new Failure(
    'AuthenticationError',
    'Send a credential: the header "Authorization: Bearer <token>", the access-token cookie, ' +
      `or an API key in the header ${names.apiKey}.`,
  )
}

/** A user, guests and clients that act for themselves too. */
export function signedIn(principal: Principal | undefined): UserPrincipal {
  const caller = authenticated(principal)
  if (caller.kind === 'user') return caller
  const given = caller.kind === 'workspace' ? 'token of a workspace' : 'API key'
  throw new Failure('ForbiddenError', `This endpoint takes no ${given}: sign in as a user.`)
}

/** A client that got its token for itself has no account, whatever its scopes. */
function person(principal: Principal | undefined): UserPrincipal {
  const user = signedIn(principal)
  if (!isProgram(user)) return user
  throw new Failure(
    'ForbiddenError',
    'The token belongs to a client, which has no account: sign in as a user.',
  )
}

/** A user with an account. */
export function accountHolder(principal: Principal | undefined): UserPrincipal {
  const user = person(principal)
  if (!user.anonymous) return user
  throw new Failure('ForbiddenError', 'An anonymous session may not do this: sign in with an account.')
}

/** A user with an account who signed in, not a token acting for them. */
export function interactiveUser(principal: Principal | undefined): UserPrincipal {
  const user = accountHolder(principal)
  refuseAccessToken(user)
  return user
}

/** Accounts are changed and sessions are made by people: a token that acts for them would outlive what they revoke. */
export function refuseAccessToken(user: UserPrincipal): void {
  if (user.via !== 'accessToken') return
  throw new Failure(
    'ForbiddenError',
    'An access token may not do this: sign in at /signin and send the JWT of that session, ' +
      'as the access-token cookie or as "Authorization: Bearer <JWT>".',
  )
}

/** A super administrator, or the internal key. */
function superAdmin(principal: Principal | undefined): UserPrincipal | InternalPrincipal {
  const caller = authenticated(principal)
  if (caller.kind === 'internal' || (caller.kind === 'user' && caller.superAdmin)) return caller
  throw new Failure('ForbiddenError', 'Only super administrators may do this.')
}

export type WorkspaceRole = 'owner' | 'editor'

/** A workspace as every service knows it: its id, slug and name. */
export interface KnownWorkspace {
  id: string
  slug: string
  name: string
  /** Why an operator has suspended it: nothing of it is executed; missing where nobody has. */
  suspendedFor?: string
}

/** A workspace the caller may act on, and why. */
export interface Admission {
  workspace: KnownWorkspace
  /** The membership of the user; undefined for super administrators, for API keys and for callers without one. */
  role: WorkspaceRole | undefined
  /**
   * What let the caller in: being the platform or a super administrator, the membership, the API key, what everybody
   * may, or a topic of the workspace they are a member of, for the events that are for them.
   */
  by: 'power' | 'role' | 'apiKey' | 'everybody' | 'topic'
}
