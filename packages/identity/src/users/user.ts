import { domainToASCII } from 'node:url'
import type { User } from '@platform/contracts'
import { Failure } from '@platform/kernel'

/** An account, or the stand-in for a visitor without one. */
export interface UserRecord {
  id: string
  email: string | undefined
  firstName: string | undefined
  lastName: string | undefined
  language: string | undefined
  status: 'pending' | 'validated' | 'deactivated'
  authData: Record<string, unknown>
  platformRole: 'superAdmin' | undefined
  /** Address of the picture. */
  photo: string | undefined
  /** What applications keep with the account. */
  meta: Record<string, unknown>
  /** When a mail to the address was answered. */
  emailValidatedAt: Date | undefined
  /** What proved itself as this person before this instant counts no more: the password was changed. */
  signInsValidFrom: Date | undefined
  createdAt: Date
  updatedAt: Date
}

/** The shortest and longest password, in characters as people count them. */
export const PASSWORD_LENGTH = { min: 8, max: 128 } as const

/**
 * Addresses are compared and kept in lower case and in one form of Unicode, their domains as mail servers know them
 * and without the dot of the root: else one mailbox could have two accounts, or two accounts look the same (ADR
 * 0045).
 */
export function normalizeEmail(email: string): string {
  const text = email.normalize('NFKC').trim().toLowerCase().replace(/\.+$/, '')
  const split = text.lastIndexOf('@') + 1
  const domain = domainToASCII(text.slice(split))
  return domain === '' ? text : text.slice(0, split) + domain
}

/**
 * True where nothing before the @ can look like something else: letters of other scripts do, and few mail servers
 * take them.
 */
export const isPlainAddress = (email: string): boolean => /^[\x21-\x7e]+@/.test(email)

/** Throws unless an account may be made with this address, or moved to it. */
export function requirePlainAddress(email: string): void {
  if (isPlainAddress(normalizeEmail(email))) return
  throw new Failure(
    'RequestValidationError',
    'The part of the e-mail address before the @ has letters that another address could be mistaken for: use a ' +
      'to z, digits and signs.',
    { details: [{ path: 'body.email', message: 'must be ASCII before the @' }] },
  )
}

/** True for a text that can be the address of an account; `admin@localhost` is one. */
export const isEmail = (text: string): boolean => text.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(text)

/** Throws unless a new password has an acceptable length. */
export function requirePasswordLength(password: string): void {
  const length = [...password].length
  if (length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max) return
  const message = `A password must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters.`
  throw new Failure('RequestValidationError', message)
}

/** True for a visitor without an account. */
export const isAnonymous = (user: UserRecord): boolean => 'anonymous' in user.authData

/** A user as they see themselves. */
export function presentUser(user: UserRecord): User {
  const { createdAt, updatedAt, emailValidatedAt: _, signInsValidFrom: __, ...rest } = user
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  return {
    ...(Object.fromEntries(given) as Omit<User, 'createdAt' | 'updatedAt'>),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

/** What to call somebody: their name when there is one, else their address. */
export function displayName(user: UserRecord): string {
  const name = [user.firstName, user.lastName].filter((part) => part !== undefined).join(' ')
  return name === '' ? (user.email ?? 'anonymous') : name
}

interface Needs {
  users: { find(userId: string): Promise<UserRecord | undefined> }
  secondFactors: { methodOf(userId: string): Promise<'totp' | 'none'> }
}

/** Finds a user as they see themselves, with their second factor; a visitor has none to tell of. */
export const shownUser =
  ({ users, secondFactors }: Needs) =>
  async (userId: string): Promise<User | undefined> => {
    const user = await users.find(userId)
    if (user === undefined || isAnonymous(user)) return user && presentUser(user)
    return { ...presentUser(user), mfa: await secondFactors.methodOf(userId) }
  }
