import type { User } from '@platform/contracts'
import { isAnonymous, presentUser, type UserRecord } from './user.ts'

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
