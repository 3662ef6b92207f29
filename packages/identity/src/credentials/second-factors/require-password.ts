import type { UserPrincipal } from '@platform/auth'
import { Failure } from '@platform/kernel'
import type { UserRecord } from '../../users/user.ts'
import type { Passwords } from '../passwords/passwords.ts'

interface Needs {
  users: { find(id: string): Promise<UserRecord | undefined> }
  passwords: Pick<Passwords, 'check'>
}

/** The account of a caller who has typed its password; a session that was left open is not enough. */
export async function requirePassword(
  { users, passwords }: Needs,
  { userId }: UserPrincipal,
  password: string,
): Promise<UserRecord> {
  const user = await users.find(userId)
  if (user === undefined)
    throw new Failure('AuthenticationError', 'The account of this session is gone: sign in again.')
  const check = user.email === undefined ? undefined : await passwords.check(user.email, password)
  if (check?.outcome === 'matches' && check.user.id === userId) return user
  throw new Failure('InvalidPassword', 'The current password is not right: type it again.')
}
