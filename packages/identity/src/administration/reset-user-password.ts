import { resetUserPassword as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { Passwords } from '../credentials/passwords/passwords.ts'
import { generatedPassword } from '../credentials/passwords/passwords.ts'
import { normalizeEmail } from '../users/user.ts'
import type { UserStore } from '../users/user-store.ts'

interface Needs {
  users: Pick<UserStore, 'replacePassword'>
  passwords: Pick<Passwords, 'hash'>
  signOutEverywhere: (userId: string) => Promise<void>
}

/** For the platform's own operator alone: a super administrator's stolen token must not open everybody's account. */
export const resetUserPassword = ({ users, passwords, signOutEverywhere }: Needs) =>
  route(endpoint, {
    async handle({ body }) {
      const password = generatedPassword()
      const userId = await users.replacePassword(body.email, await passwords.hash(password))
      if (userId === undefined)
        throw new Failure('ObjectNotFoundError', 'No account has this e-mail address: check its spelling.')

      await signOutEverywhere(userId)

      return { userId, email: normalizeEmail(body.email), password }
    },
  })
