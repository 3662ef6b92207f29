import type { Account, AccountClaims } from 'oidc-provider'
import { displayName, type UserRecord } from '../users/user.ts'

/** Which claims a scope stands for (reference 5.3), beside the standard names of the same things. */
export const claimsByScope = {
  openid: ['sub'],
  profile: ['name', 'given_name', 'family_name', 'locale', 'firstName', 'lastName', 'language'],
  email: ['email'],
} as const

/** A person as the OIDC server sees them; undefined for those who may not sign in. */
export function toAccount(user: UserRecord | undefined): Account | undefined {
  if (user === undefined || user.status === 'deactivated') return undefined
  return { accountId: user.id, claims: () => claimsOf(user) }
}

const claimsOf = (user: UserRecord): AccountClaims => ({
  sub: user.id,
  name: displayName(user),
  given_name: user.firstName,
  family_name: user.lastName,
  locale: user.language,
  firstName: user.firstName,
  lastName: user.lastName,
  language: user.language,
  email: user.email,
})
