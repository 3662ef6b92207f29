import { randomInt } from 'node:crypto'
import { PASSWORD_LENGTH, type UserRecord } from '../../users/user.ts'
import type { PasswordRecord } from '../../users/user-store.ts'
import { boundedWork } from './bounded-work.ts'
import { type HashCost, hashPassword, isOutdated, matchesHash } from './password-hash.ts'

/** What came of an attempt to sign in by password. */
export type PasswordCheck =
  | { outcome: 'matches'; user: UserRecord }
  | { outcome: 'wrong' }
  | { outcome: 'deactivated' }
  /** The account still waits for a mail to be answered, or for an administrator. */
  | { outcome: 'unvalidated'; user: UserRecord }

/** Hashing and checking passwords, two at a time; rejects with ServiceUnavailable when too many wait. */
export interface Passwords {
  hash(password: string): Promise<string>
  /**
   * Takes the same time whether the account exists or not. What state it is in is told only to whoever knows its
   * password.
   */
  check(email: string, password: string): Promise<PasswordCheck>
}

interface Accounts {
  findByEmail(email: string): Promise<PasswordRecord | undefined>
  rehash(id: string, before: string, after: string): Promise<void>
}

export function passwords(accounts: Accounts, cost: HashCost): Passwords {
  const bounded = boundedWork({ places: 2, queue: 60 })
  const hash = (password: string) => bounded(() => hashPassword(password, cost))
  let decoy: Promise<string> | undefined
  const decoyHash = () => {
    decoy ??= hashPassword('nobody has this password', cost)
    return decoy
  }

  return {
    hash,
    async check(email, password) {
      if ([...password].length > PASSWORD_LENGTH.max) return { outcome: 'wrong' }
      const [found, nobody] = await Promise.all([accounts.findByEmail(email), decoyHash()])
      const stored = found?.passwordHash ?? nobody
      const matches = await bounded(() => matchesHash(password, stored))

      if (!matches || found?.passwordHash === undefined) return { outcome: 'wrong' }
      if (isOutdated(stored, cost)) await accounts.rehash(found.user.id, stored, await hash(password))
      return outcomeOf(found.user)
    },
  }
}

function outcomeOf(user: UserRecord): PasswordCheck {
  if (user.status === 'deactivated') return { outcome: 'deactivated' }
  return { outcome: user.status === 'pending' ? 'unvalidated' : 'matches', user }
}

/** Without characters that look alike, so that it can be read from a screen and typed. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password nobody chose: 20 characters in groups of five, about 116 bits. */
export function generatedPassword(): string {
  const group = () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
