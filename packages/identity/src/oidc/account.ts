import type { Account, AccountClaims } from 'oidc-provider'
import { displayName, type UserRecord } from '../users/user.ts'

/** Which claims a scope stands for, beside the standard names of the same things. */
export const claimsByScope = {
  openid: ['sub', 'amr'],
  profile: [
    'name',
    'given_name',
    'family_name',
    'locale',
    'picture',
    'updated_at',
    'firstName',
    'lastName',
    'language',
    'photo',
  ],
  email: ['email', 'email_verified'],
  settings: ['mfa', 'meta', 'authData'],
} as const

/** The scopes of a person's data; the others are rights at the API. */
export const personalScopes: readonly string[] = [...Object.keys(claimsByScope), 'offline_access']

/** The second factor of an account, asked for only where a client may know it. */
export type MfaOf = (userId: string) => Promise<'totp' | 'none'>

/** A person as the OIDC server sees them. */
export interface PersonAccount extends Account {
  user: UserRecord
}

/** The account of a person; undefined for those who may not sign in. */
export function toAccount(user: UserRecord | undefined, mfaOf: MfaOf): PersonAccount | undefined {
  if (user === undefined || user.status !== 'validated') return undefined
  return {
    accountId: user.id,
    user,
    claims: async (_use, scope) => ({
      ...claimsOf(user),
      ...(scope.split(' ').includes('settings') ? { mfa: await mfaOf(user.id) } : {}),
    }),
  }
}

const claimsOf = (user: UserRecord): AccountClaims => ({
  sub: user.id,
  name: displayName(user),
  given_name: user.firstName,
  family_name: user.lastName,
  locale: user.language,
  picture: user.photo,
  updated_at: Math.floor(user.updatedAt.getTime() / 1000),
  firstName: user.firstName,
  lastName: user.lastName,
  language: user.language,
  photo: user.photo,
  email: user.email,
  ...(user.email === undefined ? {} : { email_verified: user.emailValidatedAt !== undefined }),
  meta: user.meta,
  authData: user.authData,
})
