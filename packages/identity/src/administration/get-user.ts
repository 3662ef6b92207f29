import { type Principal, signedIn } from '@platform/auth'
import { getUser as endpoint, type User } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { userEtag } from '../users/user-etag.ts'

interface Needs {
  /** As its owner sees it. */
  findUser: (userId: string) => Promise<User | undefined>
}

export const getUser = ({ findUser }: Needs) =>
  route(endpoint, {
    async handle({ params, principal }) {
      // The platform itself, or a user: a key has nobody to ask for.
      if (principal.kind !== 'internal') signedIn(principal)
      // Others learn nothing, not even whether there is such an account.
      const user = mayRead(principal, params.userId) ? await findUser(params.userId) : undefined
      if (user === undefined) throw userNotFound()

      return respond(user, { headers: { etag: userEtag(user, [user.mfa]) } })
    },
  })

const mayRead = (principal: Principal, userId: string): boolean =>
  principal.kind === 'internal' ||
  (principal.kind === 'user' && (principal.superAdmin || principal.userId === userId))

/** The one answer for an account that is missing or not the caller's to know. */
export const userNotFound = (): Failure =>
  new Failure('ObjectNotFoundError', 'There is no such account: check its id.')
